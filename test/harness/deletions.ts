import type { AppContext as App } from '../../src/context.js';
import { eventually } from './jobs.js';

/** Waits for the jobs of deleted people that are due now. */
export async function untilRemoved({ db, clock }: Pick<App, 'db' | 'clock'>): Promise<void> {
  await eventually(async () => {
    const where = { kind: 'delete-person', OR: [{ dueAt: { lte: new Date(clock.now()) } }, { holder: { not: null } }] };
    if ((await db.reader.job.count({ where })) > 0) throw new Error('a deletion is not done yet');
  });
}

interface Column {
  table: string;
  column: string;
}

/** Every column whose value contains one of the texts, ignoring case. */
export async function columnsWith({ db }: Pick<App, 'db'>, texts: readonly string[]): Promise<string[]> {
  const columns = await db.writer.$queryRawUnsafe<Column[]>(
    db.dialect === 'sqlite'
      ? `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
         WHERE m.type = 'table'`
      : `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
         WHERE table_schema = current_schema()`,
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    const rows = await db.writer.$queryRawUnsafe<{ text: string | null }[]>(
      `SELECT CAST("${column}" AS TEXT) AS "text" FROM "${table}"`,
    );
    for (const { text } of rows) {
      const named = texts.find((name) => text?.toLowerCase().includes(name.toLowerCase()));
      if (named !== undefined) found.push(`${table}.${column}: ${named} in ${text?.slice(0, 200)}`);
    }
  }
  return found;
}
