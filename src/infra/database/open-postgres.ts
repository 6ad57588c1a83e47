import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { Clock } from '../clock.js';
import { isDoneWithin } from '../deadlines.js';
import type { Logger } from '../logger.js';
import { connectedOnce } from './connected-once.js';
import type { Database } from './database.js';
import { PrismaClient as PostgresClient } from './generated/postgresql/client.js';
import type { PrismaClient } from './generated/sqlite/client.js';
import { type Hold, holdAlone } from './hold.js';
import { cutLookups } from './lookups.js';
import { migrate } from './migrations.js';
import { type Outages, watchOutages } from './outages.js';
import { aloneOnPostgres, POSTGRES_TRANSACTION_OPTIONS, postgresForMigrations, postgresPool } from './postgres.js';

/** How long the end waits for what is still under way, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_500;

export interface PostgresOptions {
  url: string;
  /** Connections, at most; one more where the process is alone. */
  pool: number;
  /** Whether no other process is to work on it meanwhile. */
  isAlone: boolean;
  outages: Outages;
  clock: Clock;
  log: Logger;
}

/** Opens a PostgreSQL database. @throws {StartError} when it is to be this process's alone, and another has it */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, isAlone, clock } = options;
  const hold = isAlone ? await holdAlone(url, clock) : null;
  try {
    return await openDoors(options, hold);
  } catch (error) {
    if (hold) await isDoneWithin(CLOSE_TIMEOUT_MS, hold.release());
    throw error;
  }
}

async function openDoors({ url, pool, outages, log }: PostgresOptions, hold: Hold | null): Promise<Database> {
  await aloneOnPostgres(url, () => migrate('postgresql', postgresForMigrations(url), log));
  const doors = await postgresPool(url, pool);
  const writer = postgresClient(watchOutages(doors.writer, outages));
  const reader = cutLookups(postgresClient(watchOutages(doors.reader, outages)));
  await Promise.all([writer.$connect(), reader.$connect()]);
  return {
    dialect: 'postgresql',
    reader,
    writer,
    ...(hold && { alone: hold }),
    connections: doors.connections,
    // A statement that is under way keeps its connection until its time is over; the process does not wait for that.
    async close() {
      const disconnected = Promise.all([reader.$disconnect(), writer.$disconnect()]);
      await isDoneWithin(CLOSE_TIMEOUT_MS, disconnected);
      if (hold) await isDoneWithin(CLOSE_TIMEOUT_MS, hold.release());
    },
  };
}

/** One schema makes the clients of both dialects; SQLite's types are the narrower ones, so they stand for both. */
function postgresClient(adapter: SqlDriverAdapterFactory): PrismaClient {
  const transactionOptions = POSTGRES_TRANSACTION_OPTIONS;
  return new PostgresClient({ adapter: connectedOnce(adapter), transactionOptions }) as unknown as PrismaClient;
}
