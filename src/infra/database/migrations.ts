import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlDriverAdapterFactory, SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Logger } from '../observability/logger.js';
import { packageRoot } from '../package-root.js';
import {
  createLedger,
  type Dialect,
  type Migration,
  missingIn,
  readLedger,
  record,
  requireEmpty,
  requireUsableLedger,
} from './ledger.js';
import { requireNoUnfinishedCopy } from './unfinished-copy.js';

export function migrationsFolder(dialect: Dialect): string {
  return join(packageRoot(), 'prisma/migrations', dialect);
}

/**
 * Applies missing migrations and logs them, with Prisma's ledger (`_prisma_migrations`) but without its schema engine,
 * which keeps tens of MiB of WebAssembly until the process ends.
 * @param isForCopy whether `causeway port-db` fills the database
 * @throws {StartError} if a newer version migrated the database, a migration is unfinished or different, or a copy into
 * the database is not complete
 */
export async function migrate(
  dialect: Dialect,
  factory: SqlDriverAdapterFactory,
  log: Logger,
  isForCopy = false,
): Promise<void> {
  const startedAt = performance.now();
  const connection = await factory.connect();
  try {
    const { isNew, missing } = await compare(connection, dialect, isForCopy);
    if (isNew) await createLedger(connection, dialect);
    if (missing.length === 0) return;
    for (const migration of missing) await record(connection, migration, () => connection.executeScript(migration.sql));
    const ms = Math.round(performance.now() - startedAt);
    const migrations = missing.map(({ name }) => name);
    log.info({ migrations, ms }, `Database migrated: ${migrations.length} applied in ${ms} ms`);
  } finally {
    await connection.dispose();
  }
}

export interface Standing {
  /** Whether the database has no tables. */
  isNew: boolean;
  /** The next start applies these, oldest first. */
  missing: Migration[];
}

/**
 * Writes nothing.
 * @throws as {@link migrate} does
 */
export async function compareMigrations(dialect: Dialect, factory: SqlDriverAdapterFactory): Promise<Standing> {
  const connection = await factory.connect();
  try {
    return await compare(connection, dialect, false);
  } finally {
    await connection.dispose();
  }
}

async function compare(connection: SqlQueryable, dialect: Dialect, isForCopy: boolean): Promise<Standing> {
  if (dialect === 'postgresql' && !isForCopy) await requireNoUnfinishedCopy(connection);
  const known = readMigrations(dialect);
  const ledger = await readLedger(connection);
  if (ledger === null) await requireEmpty(connection, dialect);
  else requireUsableLedger(ledger, known);
  return { isNew: ledger === null, missing: missingIn(ledger ?? [], known) };
}

/** Oldest first. */
function readMigrations(dialect: Dialect): Migration[] {
  const folder = migrationsFolder(dialect);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
