import { join } from 'node:path';
import type { Clock } from '../clock.js';
import type { Logger } from '../observability/logger.js';
import { connectedOnce } from './connected-once.js';
import type { Database } from './database.js';
import { lockFolder } from './folder-lock.js';
import { PrismaClient } from './generated/sqlite/client.js';
import { migrate } from './migrations.js';
import { type Outages, watchOutages } from './outages.js';
import { readerOf } from './reader.js';
import { sqliteFile } from './sqlite.js';
import { betterSqlite3 } from './sqlite-driver.js';

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
  await migrate('sqlite', betterSqlite3({ url: `file:${file}` }), log);
  const writer = new PrismaClient({
    adapter: connectedOnce(watchOutages(sqliteFile(file, clock), outages)),
    transactionOptions: TRANSACTION_OPTIONS,
  });
  await writer.$connect();
  return { dialect: 'sqlite', reader: readerOf(writer), writer, close: () => writer.$disconnect() };
}
