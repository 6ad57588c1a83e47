import { join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { Clock } from '../clock.js';
import type { Logger } from '../observability/logger.js';
import { connectedOnce } from './connected-once.js';
import type { Database } from './database.js';
import { lockFolder } from './folder-lock.js';
import { PrismaClient } from './generated/sqlite/client.js';
import { cutLookups } from './lookups.js';
import { migrate } from './migrations.js';
import { type Outages, watchOutages } from './outages.js';
import { sqliteReader, sqliteWriter } from './sqlite.js';

/** Milliseconds. */
const TRANSACTION_OPTIONS = { maxWait: 10_000, timeout: 10_000 };

/**
 * Only one process may use the file: others would miss its events and wait for its writes.
 * @throws {StartError} if another process has it
 */
export async function openSqlite(dataDir: string, outages: Outages, clock: Clock, log: Logger): Promise<Database> {
  const lock = await lockFolder(dataDir);
  try {
    const { close, ...database } = await openFile(join(dataDir, 'causeway.db'), outages, clock, log);
    return { ...database, close: () => close().finally(lock.release) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openFile(file: string, outages: Outages, clock: Clock, log: Logger): Promise<Database> {
  await migrate('sqlite', new PrismaBetterSqlite3({ url: `file:${file}` }), log);
  const writer = new PrismaClient({
    adapter: connectedOnce(watchOutages(sqliteWriter(file, clock), outages)),
    transactionOptions: TRANSACTION_OPTIONS,
  });
  await writer.$connect();
  const reader = cutLookups(
    new PrismaClient({ adapter: connectedOnce(watchOutages(sqliteReader(file, clock), outages)) }),
  );
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
