import { join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import { lockFolder } from './folder-lock.js';
import { PrismaClient as PostgresClient } from './generated/postgresql/client.js';
import { PrismaClient } from './generated/sqlite/client.js';
import { applyMigrations, type Dialect } from './migrations.js';
import { sqliteReader, sqliteWriter } from './sqlite.js';

export type * from './generated/sqlite/client.js';
export { Prisma } from './generated/sqlite/client.js';
export type { Dialect } from './migrations.js';

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

/** How long a transaction may wait for its turn, and how long it may take, in milliseconds. */
const TRANSACTION_OPTIONS = { maxWait: 10_000, timeout: 10_000 };

/**
 * Opens the database, creating and migrating it first where needed.
 * @param url a `postgresql://` address, or undefined for the SQLite file `causeway.db` in `dataDir`
 * @throws {StartError} when another process has the SQLite file
 */
export async function openDatabase(url: string | undefined, dataDir: string): Promise<Database> {
  return url === undefined ? openSqlite(dataDir) : openPostgres(url);
}

/** The SQLite file is for one process: others would not hear of its events, and would wait for its writes. */
async function openSqlite(dataDir: string): Promise<Database> {
  const lock = await lockFolder(dataDir);
  try {
    const { close, ...database } = await openSqliteFile(dataDir);
    return { ...database, close: () => close().finally(lock.release) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openSqliteFile(dataDir: string): Promise<Database> {
  const file = join(dataDir, 'causeway.db');
  await applyMigrations('sqlite', new PrismaBetterSqlite3({ url: `file:${file}` }));
  const writer = new PrismaClient({ adapter: sqliteWriter(file), transactionOptions: TRANSACTION_OPTIONS });
  await writer.$connect();
  const reader = new PrismaClient({ adapter: sqliteReader(file) });
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

async function openPostgres(url: string): Promise<Database> {
  await applyMigrations('postgresql', new PrismaPg({ connectionString: url, max: 2 }));
  const adapter = new PrismaPg({ connectionString: url, max: 20 });
  // One schema makes both clients; the SQLite client's types are the narrower ones, so they stand for both.
  const client = new PostgresClient({ adapter, transactionOptions: TRANSACTION_OPTIONS }) as unknown as PrismaClient;
  await client.$connect();
  return { dialect: 'postgresql', reader: client, writer: client, close: () => client.$disconnect() };
}
