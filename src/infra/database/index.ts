import { type Clock, systemClock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { Measures } from '../metrics.js';
import type { Database } from './database.js';
import type { Prisma, PrismaClient } from './generated/sqlite/client.js';
import { Outages } from './outages.js';

export type { Database, Doors } from './database.js';
export type * from './generated/sqlite/client.js';
export { Prisma } from './generated/sqlite/client.js';
export { isHeldAlone } from './hold.js';

type ReadMethod =
  | 'findUnique'
  | 'findUniqueOrThrow'
  | 'findFirst'
  | 'findFirstOrThrow'
  | 'findMany'
  | 'count'
  | 'aggregate'
  | 'groupBy';

/** The reading half of the database client: it sees committed rows only and cannot write. */
export type Reader = {
  [Model in Uncapitalize<Prisma.ModelName>]: Pick<PrismaClient[Model], ReadMethod>;
} & Pick<PrismaClient, '$queryRaw'>;

/** The client inside a transaction. */
export type Transaction = Prisma.TransactionClient;

export interface DatabaseOptions {
  /** A `postgresql://` address, or null for the SQLite file `causeway.db` in `dataDir`. */
  url: string | null;
  dataDir: string;
  /** Connections to PostgreSQL, at most. */
  pool: number;
  /** Whether no other process is to work on it meanwhile. On SQLite there never is one. */
  isAlone: boolean;
}

/**
 * Opens the database, creating and migrating it first where needed. What only the other kind of database needs is not loaded.
 * @throws {StartError} when another process has what is to be this one's alone, or the database is none of this version of the code
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
