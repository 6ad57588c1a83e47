import { createHash } from 'node:crypto';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { StartError } from '../../config.js';

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

/** Null if the ledger cannot be read; the engine reports the reason. */
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

/** Applies the engine's rule: each migration is in the ledger and not rolled back, and none is unfinished. */
export function isUpToDate(ledger: LedgerRow[], migrations: Migration[]): boolean {
  const standing = ledger.filter(({ rolledBackAt }) => rolledBackAt === null);
  const applied = new Set(standing.map(({ name }) => name));
  return standing.every(({ finishedAt }) => finishedAt !== null) && migrations.every(({ name }) => applied.has(name));
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
      `the database migration ${unfinished.name} started but did not finish${reasonOf(unfinished)}: restore the backup made before the upgrade, then start again`,
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

/** Accepts either line ending, as the engine does: it depends on the checkout. */
function isOf(checksum: string, sql: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [sql, unix, unix.replaceAll('\n', '\r\n')].some(
    (text) => createHash('sha256').update(text).digest('hex') === checksum,
  );
}
