import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { systemClock } from '../../src/infra/clock.js';
import { PrismaClient } from '../../src/infra/database/generated/sqlite/client.js';
import { type Database, openDatabase } from '../../src/infra/database/index.js';
import { sqliteReader, sqliteWriter } from '../../src/infra/database/sqlite.js';
import type { Logger } from '../../src/infra/observability/logger.js';
import type { Server } from '../../src/server.js';
import { migratedDatabase, migratedFolder } from './server.js';

/** Settles when `check` no longer throws, within 20 s for a busy machine. */
export function eventually<T>(check: () => T | Promise<T>, options: { interval?: number } = {}): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, ...options });
}

export interface SharedDatabase {
  handles: [Database, Database];
  /** The URL of PostgreSQL; empty on SQLite. */
  url: string;
  close(): Promise<void>;
}

export async function openSharedDatabase(log: Logger): Promise<SharedDatabase> {
  const dataDir = await migratedFolder();
  const database = await migratedDatabase();
  const open = () => openDatabase({ url: database?.url ?? null, dataDir, pool: 5, isAlone: false }, log);
  const first = await open();
  const second = database ? await open() : await openSqliteAgain(dataDir);
  return {
    handles: [first, second],
    url: database?.url ?? '',
    async close() {
      await Promise.all([first.close(), second.close()]);
      await database?.drop();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** Bypasses the lock that keeps other processes from the file. */
async function openSqliteAgain(dataDir: string): Promise<Database> {
  const file = join(dataDir, 'causeway.db');
  const reader = new PrismaClient({ adapter: sqliteReader(file, systemClock) });
  const writer = new PrismaClient({ adapter: sqliteWriter(file, systemClock) });
  const close = async () => void (await Promise.all([reader.$disconnect(), writer.$disconnect()]));
  return { dialect: 'sqlite', reader, writer, close };
}

export async function untilDone({ app }: Pick<Server, 'app'>, kind: string): Promise<void> {
  await eventually(async () => {
    const job = await app.db.reader.job.findUniqueOrThrow({ where: { key: kind } });
    const isDone = job.holder === null && job.dueAt !== null && job.dueAt.getTime() > app.clock.now();
    if (!isDone) throw new Error(`${kind} is not done yet`);
  });
}
