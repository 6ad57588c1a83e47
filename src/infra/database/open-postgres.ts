import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { Clock } from '../clock.js';
import { isDoneWithin } from '../concurrency/timeouts.js';
import type { Logger } from '../observability/logger.js';
import { connectedOnce } from './connected-once.js';
import type { Database } from './database.js';
import { type DatabaseLock, lockDatabase } from './database-lock.js';
import { PrismaClient as PostgresClient } from './generated/postgresql/client.js';
import type { PrismaClient } from './generated/sqlite/client.js';
import { migrate } from './migrations.js';
import { type Outages, watchOutages } from './outages.js';
import { aloneOnPostgres, POSTGRES_TRANSACTION_OPTIONS, postgresForMigrations, postgresPool } from './postgres.js';
import { readerOf } from './reader.js';

const CLOSE_TIMEOUT_MS = 1_500;

export interface PostgresOptions {
  url: string;
  /** Exclusive use needs one more connection. */
  pool: number;
  isAlone: boolean;
  outages: Outages;
  clock: Clock;
  log: Logger;
}

/** @throws {StartError} if exclusive use is required and another process has it */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, isAlone, clock } = options;
  const databaseLock = isAlone ? await lockDatabase(url, clock) : null;
  try {
    return await openClients(options, databaseLock);
  } catch (error) {
    if (databaseLock) await isDoneWithin(CLOSE_TIMEOUT_MS, databaseLock.release());
    throw error;
  }
}

async function openClients({ url, pool, outages, log }: PostgresOptions, hold: DatabaseLock | null): Promise<Database> {
  await aloneOnPostgres(url, () => migrate('postgresql', postgresForMigrations(url), log));
  const { adapter, connections } = await postgresPool(url, pool);
  const writer = postgresClient(watchOutages(adapter, outages));
  await writer.$connect();
  return {
    dialect: 'postgresql',
    reader: readerOf(writer),
    writer,
    ...(hold && { alone: hold }),
    connections,
    // A running statement keeps its connection until its time limit. Closing does not wait that long.
    async close() {
      await isDoneWithin(CLOSE_TIMEOUT_MS, writer.$disconnect());
      if (hold) await isDoneWithin(CLOSE_TIMEOUT_MS, hold.release());
    },
  };
}

/** One schema generates both clients. SQLite's types are narrower, so they stand for both. */
function postgresClient(adapter: SqlDriverAdapterFactory): PrismaClient {
  const transactionOptions = POSTGRES_TRANSACTION_OPTIONS;
  return new PostgresClient({ adapter: connectedOnce(adapter), transactionOptions }) as unknown as PrismaClient;
}
