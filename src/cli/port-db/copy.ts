import { Failure } from '../failure.js';
import type { Progress } from './progress.js';
import { openSource, type Source } from './source.js';
import type { Table } from './tables.js';
import { type Copied, openTarget, type Target } from './target.js';
import { checksum } from './values.js';

export interface Copy {
  tables: number;
  rows: number;
  /** Values with U+0000 that this run replaced, as PostgreSQL cannot store it. */
  replaced: number;
  isResumed: boolean;
}

interface Databases {
  source: Source;
  target: Target;
  progress: Progress;
}

/**
 * Copies the SQLite database of `dataDir` into an empty PostgreSQL database, and compares them. A later call continues
 * after the last stored rows.
 * @param to a `postgresql://` URL
 * @throws {Failure} {StartError} with what to do
 */
export async function copyDatabase(dataDir: string, to: string, progress: Progress): Promise<Copy> {
  const source = await openSource(dataDir);
  try {
    const state = source.state();
    const target = await openTarget(to, state);
    try {
      const fault = target.taken.then((error) => Promise.reject(error));
      return await Promise.race([fault, copyAll({ source, target, progress }, state)]);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyAll(databases: Databases, state: string): Promise<Copy> {
  const { source, target, progress } = databases;
  const { tables, isResumed } = target;
  await source.requireAll(tables);
  const counts = new Map<Table, number>();
  for (const table of tables) counts.set(table, await source.count(table));
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  progress.say(`${isResumed ? 'Continuing to copy' : 'Copying'} ${rows} rows of ${tables.length} tables.`);
  for (const [table, count] of counts) await copyTable(databases, table, count);
  progress.say('Comparing both databases.');
  const different: string[] = [];
  for (const [table, count] of counts) {
    if (!(await isEqual(databases, table, count))) different.push(table.name);
  }
  if (different.length > 0) {
    throw new Failure(
      `these tables of the copy differ from the SQLite database: ${different.join(', ')}. Do not use the copy. Drop the database of --to, create it again, and run this command again`,
    );
  }
  if (source.state() !== state) {
    throw new Failure(
      'another program wrote to the SQLite database during the copy. Stop it, drop the database of --to, create it again, and run this command again',
    );
  }
  await target.finish();
  return { tables: tables.length, rows, replaced: source.values.replaced, isResumed };
}

/** Reads the next rows while PostgreSQL stores the last ones. */
async function copyTable({ source, target, progress }: Databases, table: Table, total: number): Promise<void> {
  let copied = await target.copied(table);
  const line = progress.table('copied', table.name, total, copied.rows);
  let writing: Promise<void> = Promise.resolve();
  while (copied.rows < total) {
    const rows = await source.page(table, copied.lastKey);
    const last = rows.at(-1);
    if (!last) break;
    const next: Copied = {
      lastKey: table.key.map((place) => last[place] ?? null),
      rows: copied.rows + rows.length,
      checksum: checksum(rows, copied.checksum),
    };
    await writing;
    line.at(copied.rows);
    writing = target.write(table, rows, next);
    // Awaited later.
    writing.catch(() => {});
    copied = next;
  }
  await writing;
  line.end(copied.rows);
}

/** The copy's progress has the sum of the source, which did not change. */
async function isEqual({ target, progress }: Databases, table: Table, count: number): Promise<boolean> {
  const { rows, checksum: expected } = await target.copied(table);
  const line = progress.table('compared', table.name, count, 0);
  const found = await target.measure(table, (done) => line.at(done));
  line.end(found.rows);
  return rows === count && found.rows === count && found.checksum === expected;
}
