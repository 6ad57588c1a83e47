import { type Clock, systemClock } from '../clock.js';
import type { Logger } from '../observability/logger.js';
import type { Measures } from '../observability/metrics.js';
import type { Database } from './database.js';
import type { Prisma, PrismaClient } from './generated/sqlite/client.js';
import { Outages } from './outages.js';

export type { Database, ReaderAndWriter } from './database.js';
export { isDatabaseLocked } from './database-lock.js';
export type * from './generated/sqlite/client.js';
export { Prisma } from './generated/sqlite/client.js';
export { openFault } from './open-fault.js';
export { shrinkSqlite } from './shrink.js';

type ReadMethod =
  | 'findUnique'
  | 'findUniqueOrThrow'
  | 'findFirst'
  | 'findFirstOrThrow'
  | 'findMany'
  | 'count'
  | 'aggregate'
  | 'groupBy';

/** Reads see only committed rows. */
export type Reader = {
  [Model in Uncapitalize<Prisma.ModelName>]: Pick<PrismaClient[Model], ReadMethod>;
} & Pick<PrismaClient, '$queryRaw'>;

export type Transaction = Prisma.TransactionClient;

export interface DatabaseOptions {
  /** A `postgresql://` URL, or null for the SQLite file `causeway.db` in `dataDir`. */
  url: string | null;
  dataDir: string;
  pool: number;
  /** Whether to exclude other processes. SQLite always does. */
  isAlone: boolean;
}

/**
 * Creates or migrates the database if needed.
 * @throws {StartError} if another process holds an exclusive lock, or the schema does not fit this version
 */
export async function openDatabase(
  { url, dataDir, pool, isAlone }: DatabaseOptions,
  log: Logger,
  clock: Clock = systemClock,
  measures?: Measures,
): Promise<Database> {
  const outages = new Outages(log, clock, measures);
  if (url === null) {
    const { openSqlite } = await import('./open-sqlite.js');
    return openSqlite(dataDir, outages, clock, log);
  }
  const { openPostgres } = await import('./open-postgres.js');
  return openPostgres({ url, pool, isAlone, outages, clock, log });
}
