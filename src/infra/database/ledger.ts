import { createHash } from 'node:crypto';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { StartError } from '../../config.js';

/** A migration of this version of the code. */
export interface Migration {
  name: string;
  sql: string;
}

/** What Prisma's ledger (`_prisma_migrations`) says of a migration: when it was done, and when it was taken back; null where it was not. */
export interface LedgerRow {
  name: string;
  /** Of its SQL: SHA-256, in hexadecimal digits. */
  checksum: string;
  finishedAt: unknown;
  rolledBackAt: unknown;
  /** What the database said when it failed. */
  fault: string | null;
}

/** All rows of the ledger; null where it cannot be read: why that is, is for the engine to tell. */
export async function readLedger(factory: SqlMigrationAwareDriverAdapterFactory): Promise<LedgerRow[] | null> {
  try {
    const connection = await factory.connect();
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
    } finally {
      await connection.dispose();
    }
  } catch {
    return null;
  }
}

/** As the engine sees it: every migration stands in the ledger and was not taken back, and none was begun and not ended. */
export function isUpToDate(ledger: LedgerRow[], migrations: Migration[]): boolean {
  const standing = ledger.filter(({ rolledBackAt }) => rolledBackAt === null);
  const applied = new Set(standing.map(({ name }) => name));
  return standing.every(({ finishedAt }) => finishedAt !== null) && migrations.every(({ name }) => applied.has(name));
}

/**
 * Refuses a database that this version of the code would not understand: one that a newer version has migrated, one that a migration
 * left half done, and one that was migrated by other SQL of the same name.
 * @throws {StartError} which says what to do
 */
export function requireUsableLedger(ledger: LedgerRow[], migrations: Migration[]): void {
  const standing = ledger.filter(({ rolledBackAt }) => rolledBackAt === null);
  const sqlOf = new Map(migrations.map(({ name, sql }) => [name, sql]));
  const newest = newestOf(standing.filter(({ name }) => !sqlOf.has(name)));
  if (newest) {
    throw new StartError(
      `the database is newer than this version of Causeway, which does not know its migration ${newest.name}: start the newer version, or restore the backup made before the upgrade; a process of this version that runs already may go on`,
    );
  }
  const unfinished = newestOf(standing.filter(({ finishedAt }) => finishedAt === null));
  if (unfinished) {
    throw new StartError(
      `the migration ${unfinished.name} of the database was begun and has not ended${reasonOf(unfinished)}: restore the backup made before the upgrade, and start again`,
    );
  }
  const changed = newestOf(standing.filter(({ name, checksum }) => !isOf(checksum, sqlOf.get(name) ?? '')));
  if (changed) {
    throw new StartError(
      `the migration ${changed.name} was applied to the database with another content than it has in this version of Causeway: start the version that the database was made with, or restore the file`,
    );
  }
}

/** Names begin with the time at which they were made. */
function newestOf(rows: LedgerRow[]): LedgerRow | undefined {
  return rows.toSorted((one, other) => (one.name < other.name ? 1 : -1))[0];
}

function reasonOf({ fault }: LedgerRow): string {
  const lines = (fault ?? '').split('\n').map((line) => line.trim());
  const told = lines.filter((line) => line !== '').join(' ');
  return told === '' ? '' : ` (${told})`;
}

/** Line endings are those of the checkout, as the engine has it. */
function isOf(checksum: string, sql: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [sql, unix, unix.replaceAll('\n', '\r\n')].some(
    (text) => createHash('sha256').update(text).digest('hex') === checksum,
  );
}
