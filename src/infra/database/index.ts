import { join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { lockFolder } from './folder-lock.js';
import { PrismaClient as PostgresClient } from './generated/postgresql/client.js';
import { PrismaClient } from './generated/sqlite/client.js';
import { cutLookups } from './lookups.js';
import { applyMigrations, type Dialect } from './migrations.js';
import { Outages, watchOutages } from './outages.js';
import { aloneOnPostgres, POSTGRES_TRANSACTION_OPTIONS, postgresForMigrations, postgresPool } from './postgres.js';
import { sqliteReader, sqliteWriter } from './sqlite.js';

export type * from './generated/sqlite/client.js';
export { Prisma } from './generated/sqlite/client.js';
export type { Dialect } from './migrations.js';

import { type Clock, systemClock } from '../clock.js';
import { isDoneWithin } from '../deadlines.js';
import type { Logger } from '../logger.js';
import type { Prisma } from './generated/sqlite/client.js';

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

export interface Database {
  dialect: Dialect;
  /** For every read outside a transaction. */
  reader: PrismaClient;
  /** For transactions and single-statement writes. */
  writer: PrismaClient;
  close(): Promise<void>;
}

/** How long a transaction on SQLite may wait for its turn, and how long it may take, in milliseconds. */
const SQLITE_TRANSACTION_OPTIONS = { maxWait: 10_000, timeout: 10_000 };

/** How long the end waits for what is still under way, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_500;

export interface DatabaseOptions {
  /** A `postgresql://` address, or null for the SQLite file `causeway.db` in `dataDir`. */
  url: string | null;
  dataDir: string;
  /** Connections to PostgreSQL, at most. */
  pool: number;
}

/**
 * Opens the database, creating and migrating it first where needed.
 * @throws {StartError} when another process has the SQLite file
 */
export async function openDatabase(
  { url, dataDir, pool }: DatabaseOptions,
  log: Logger,
  clock: Clock = systemClock,
): Promise<Database> {
  const outages = new Outages(log, clock);
  return url === null ? openSqlite(dataDir, outages, clock) : openPostgres(url, pool, outages);
}

/** The SQLite file is for one process: others would not hear of its events, and would wait for its writes. */
async function openSqlite(dataDir: string, outages: Outages, clock: Clock): Promise<Database> {
  const lock = await lockFolder(dataDir);
  try {
    const { close, ...database } = await openSqliteFile(dataDir, outages, clock);
    return { ...database, close: () => close().finally(lock.release) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openSqliteFile(dataDir: string, outages: Outages, clock: Clock): Promise<Database> {
  const file = join(dataDir, 'causeway.db');
  await applyMigrations('sqlite', new PrismaBetterSqlite3({ url: `file:${file}` }));
  const writer = new PrismaClient({
    adapter: watchOutages(sqliteWriter(file, clock), outages),
    transactionOptions: SQLITE_TRANSACTION_OPTIONS,
  });
  await writer.$connect();
  const reader = cutLookups(new PrismaClient({ adapter: watchOutages(sqliteReader(file, clock), outages) }));
  await reader.$connect();
  return {
    dialect: 'sqlite',
    reader,
    writer,
    async close() {
      await reader.$disconnect();
      await writer.$disconnect();
    },
  };
}

async function openPostgres(url: string, pool: number, outages: Outages): Promise<Database> {
  await aloneOnPostgres(url, () => applyMigrations('postgresql', postgresForMigrations(url)));
  const doors = postgresPool(url, pool);
  const writer = postgresClient(watchOutages(doors.writer, outages));
  const reader = cutLookups(postgresClient(watchOutages(doors.reader, outages)));
  await Promise.all([writer.$connect(), reader.$connect()]);
  return {
    dialect: 'postgresql',
    reader,
    writer,
    // A statement that is under way keeps its connection until its time is over; the process does not wait for that.
    async close() {
      await isDoneWithin(CLOSE_TIMEOUT_MS, Promise.all([reader.$disconnect(), writer.$disconnect()]));
    },
  };
}

/** One schema makes the clients of both dialects; SQLite's types are the narrower ones, so they stand for both. */
function postgresClient(adapter: SqlDriverAdapterFactory): PrismaClient {
  const transactionOptions = POSTGRES_TRANSACTION_OPTIONS;
  return new PostgresClient({ adapter, transactionOptions }) as unknown as PrismaClient;
}
