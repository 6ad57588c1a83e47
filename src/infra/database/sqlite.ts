import {
  isDriverAdapterError,
  type SqlDriverAdapter,
  type SqlDriverAdapterFactory,
  type Transaction,
} from '@prisma/driver-adapter-utils';
import { type Clock, pause } from '../clock.js';
import { Mutex } from '../concurrency/mutex.js';
import { betterSqlite3 } from './sqlite-driver.js';

/**
 * WAL lets readers work during a write. `synchronous=NORMAL` survives a killed process. A power cut may lose the last
 * commits, but does not corrupt the file.
 */
const WRITER_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
`;

/** Longest wait for a lock of another process, such as a backup. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_RETRY_MS = 25;

const READS = /^\s*SELECT\b/i;

/** Statements of a transaction, and all that may write, use one connection. Other reads use a second one. */
export function sqliteFile(file: string, clock: Clock): SqlDriverAdapterFactory {
  const writing = sqliteWriter(file, clock);
  return {
    ...namesOf(writing),
    async connect() {
      const writer = await writing.connect();
      const reader = await sqliteReader(file, clock).connect();
      return {
        ...writer,
        queryRaw: (query) => (READS.test(query.sql) ? reader : writer).queryRaw(query),
        dispose: async () => void (await Promise.all([reader.dispose(), writer.dispose()])),
      };
    },
  };
}

/** Statements queue behind an open transaction; see {@link queued}. */
export function sqliteWriter(file: string, clock: Clock): SqlDriverAdapterFactory {
  const factory = betterSqlite3({ url: `file:${file}`, timeout: 0 });
  return {
    ...namesOf(factory),
    async connect() {
      const adapter = await factory.connect();
      await patiently(clock, () => adapter.executeScript(WRITER_PRAGMAS));
      return queued(adapter, clock);
    },
  };
}

/** SQLite itself refuses writes on this connection. */
export function sqliteReader(file: string, clock: Clock): SqlDriverAdapterFactory {
  const factory = betterSqlite3({ url: `file:${file}`, readonly: true, timeout: 0 });
  return {
    ...namesOf(factory),
    async connect() {
      const adapter = await factory.connect();
      const queryRaw = adapter.queryRaw.bind(adapter);
      adapter.queryRaw = (query) => patiently(clock, () => queryRaw(query));
      return adapter;
    },
  };
}

function namesOf({ provider, adapterName }: SqlDriverAdapterFactory) {
  return { provider, adapterName };
}

/** Retries if another process has locked the file. SQLite's own wait would block the event loop. */
async function patiently<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const giveUpAt = clock.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || clock.now() >= giveUpAt) throw error;
    }
    await pause(clock, LOCK_RETRY_MS);
  }
}

/** The adapter reports `SQLITE_BUSY` as `SocketTimeout`. */
function isLocked(error: unknown): boolean {
  return isDriverAdapterError(error) && error.cause.kind === 'SocketTimeout';
}

/**
 * The adapter has one connection. Without this queue, other statements would run inside an open transaction, and be
 * lost if it rolls back.
 */
function queued(adapter: SqlDriverAdapter, clock: Clock): SqlDriverAdapter {
  const mutex = new Mutex();
  const exclusively = <T>(statement: () => Promise<T>): Promise<T> =>
    patiently(clock, async () => {
      const release = await mutex.take();
      try {
        return await statement();
      } finally {
        release();
      }
    });
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    queryRaw: (query) => exclusively(() => adapter.queryRaw(query)),
    executeRaw: (query) => exclusively(() => adapter.executeRaw(query)),
    executeScript: (script) => exclusively(() => adapter.executeScript(script)),
    dispose: () => adapter.dispose(),
    startTransaction: () => patiently(clock, async () => begin(adapter, await mutex.take())),
  };
}

/**
 * Takes the write lock at once, so that no statement of the transaction meets a lock of another process.
 * @param release frees the queue when the transaction ends or does not begin
 */
async function begin(adapter: SqlDriverAdapter, release: () => void): Promise<Transaction> {
  try {
    await adapter.executeScript('BEGIN IMMEDIATE');
  } catch (error) {
    release();
    throw error;
  }
  const savepoint = (sql: string) => async (name: string) => {
    await adapter.executeScript(`${sql} ${name}`);
  };
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    options: { usePhantomQuery: false },
    queryRaw: (query) => adapter.queryRaw(query),
    executeRaw: (query) => adapter.executeRaw(query),
    commit: async () => release(),
    async rollback() {
      try {
        // The transaction is already rolled back, unless a failed commit left it open.
        await adapter.executeScript('ROLLBACK');
      } catch {
      } finally {
        release();
      }
    },
    createSavepoint: savepoint('SAVEPOINT'),
    rollbackToSavepoint: savepoint('ROLLBACK TO'),
    releaseSavepoint: savepoint('RELEASE SAVEPOINT'),
  };
}
