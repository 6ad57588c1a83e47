import { createHash, randomUUID } from 'node:crypto';
import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { StartError } from '../../config.js';

export type Dialect = 'sqlite' | 'postgresql';

export interface Migration {
  name: string;
  sql: string;
}

/** Row of `_prisma_migrations`. The times are null if the migration did not finish, or was not rolled back. */
export interface LedgerRow {
  name: string;
  /** SHA-256 of the SQL, in hex. */
  checksum: string;
  finishedAt: unknown;
  rolledBackAt: unknown;
  fault: string | null;
}

/** Null if the ledger cannot be read; {@link requireEmpty} reports the reason. */
export async function readLedger(connection: SqlQueryable): Promise<LedgerRow[] | null> {
  try {
    const sql = 'SELECT migration_name, checksum, finished_at, rolled_back_at, logs FROM _prisma_migrations';
    const { rows } = await connection.queryRaw({ sql, args: [], argTypes: [] });
    return rows.map(([name, checksum, finishedAt, rolledBackAt, logs]) => ({
      name: String(name),
      checksum: String(checksum),
      finishedAt,
      rolledBackAt,
      fault: typeof logs === 'string' ? logs : null,
    }));
  } catch {
    return null;
  }
}

const TABLES: Record<Dialect, string> = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  postgresql: 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()',
};

/** The columns that Prisma's own tools expect. */
const LEDGER = (time: string) => `CREATE TABLE "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" ${time},
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" ${time},
  "started_at" ${time} NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/** @throws if the database has tables */
export async function requireEmpty(connection: SqlQueryable, dialect: Dialect): Promise<void> {
  const { rows } = await connection.queryRaw({ sql: TABLES[dialect], args: [], argTypes: [] });
  if (rows.length > 0) throw new Error('the database is not empty, and Causeway did not create its tables');
}

/** The database must be empty. */
export async function createLedger(connection: SqlQueryable, dialect: Dialect): Promise<void> {
  // Later, only a VACUUM could change it. `shrinkSqlite` needs it.
  if (dialect === 'sqlite') await execute(connection, 'PRAGMA auto_vacuum = INCREMENTAL');
  await execute(connection, LEDGER(dialect === 'sqlite' ? 'DATETIME' : 'TIMESTAMPTZ'));
}

/** Applies a migration. One that fails stays in the ledger with its error, and prevents the next start. */
export async function record(
  connection: SqlQueryable,
  { name, sql }: Migration,
  apply: () => Promise<void>,
): Promise<void> {
  const id = randomUUID();
  const values = [id, checksumOf(sql), name].map(quoted).join();
  await execute(connection, `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES (${values})`);
  const update = (changes: string) =>
    execute(connection, `UPDATE _prisma_migrations SET ${changes} WHERE id = '${id}'`);
  try {
    await apply();
  } catch (error) {
    // A lost connection cannot store it.
    await update(`logs = ${quoted((error as Error).message)}`).catch(() => {});
    throw error;
  }
  await update('finished_at = CURRENT_TIMESTAMP, applied_steps_count = 1');
}

async function execute(connection: SqlQueryable, sql: string): Promise<void> {
  await connection.executeRaw({ sql, args: [], argTypes: [] });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Those that are not in the ledger, or were rolled back. */
export function missingIn(ledger: LedgerRow[], migrations: Migration[]): Migration[] {
  const applied = new Set(ledger.filter(({ rolledBackAt }) => rolledBackAt === null).map(({ name }) => name));
  return migrations.filter(({ name }) => !applied.has(name));
}

/**
 * @throws {StartError} with instructions, if a newer version migrated the database, a migration is unfinished, or the
 * SQL of one differs
 */
export function requireUsableLedger(ledger: LedgerRow[], migrations: Migration[]): void {
  const standing = ledger.filter(({ rolledBackAt }) => rolledBackAt === null);
  const sqlOf = new Map(migrations.map(({ name, sql }) => [name, sql]));
  const newest = newestOf(standing.filter(({ name }) => !sqlOf.has(name)));
  if (newest) {
    throw new StartError(
      `the database is newer than this version of Causeway, which does not know its migration ${newest.name}. Start the newer version, or restore the backup made before the upgrade. Running processes of this version may continue`,
    );
  }
  const unfinished = newestOf(standing.filter(({ finishedAt }) => finishedAt === null));
  if (unfinished) {
    throw new StartError(
      `the database migration ${unfinished.name} started but did not finish${reasonOf(unfinished)}: restore the backup made before the upgrade, or delete the database if it is new, then start again`,
    );
  }
  const changed = newestOf(standing.filter(({ name, checksum }) => !isOf(checksum, sqlOf.get(name) ?? '')));
  if (changed) {
    throw new StartError(
      `the migration ${changed.name} of this version differs from the one applied to the database: start the version that applied it, or restore the migration file`,
    );
  }
}

/** Names begin with the time of creation. */
function newestOf(rows: LedgerRow[]): LedgerRow | undefined {
  return rows.toSorted((one, other) => (one.name < other.name ? 1 : -1))[0];
}

function reasonOf({ fault }: LedgerRow): string {
  const lines = (fault ?? '').split('\n').map((line) => line.trim());
  const told = lines.filter((line) => line !== '').join(' ');
  return told === '' ? '' : ` (${told})`;
}

/** Accepts either line ending: it depends on the checkout. */
function isOf(checksum: string, sql: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [sql, unix, unix.replaceAll('\n', '\r\n')].some((text) => checksumOf(text) === checksum);
}

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
