import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { isDoneWithin } from '../deadlines.js';
import { connectedOnce } from './connected-once.js';
import type { Database } from './database.js';
import { PrismaClient as PostgresClient } from './generated/postgresql/client.js';
import type { PrismaClient } from './generated/sqlite/client.js';
import { cutLookups } from './lookups.js';
import { migrate } from './migrations.js';
import { type Outages, watchOutages } from './outages.js';
import { aloneOnPostgres, POSTGRES_TRANSACTION_OPTIONS, postgresForMigrations, postgresPool } from './postgres.js';

/** How long the end waits for what is still under way, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_500;

/** Opens a PostgreSQL database. */
export async function openPostgres(url: string, pool: number, outages: Outages): Promise<Database> {
  await aloneOnPostgres(url, () => migrate('postgresql', postgresForMigrations(url)));
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
  return new PostgresClient({ adapter: connectedOnce(adapter), transactionOptions }) as unknown as PrismaClient;
}
