import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import {
  isDriverAdapterError,
  type SqlDriverAdapter,
  type SqlDriverAdapterFactory,
  type Transaction,
} from '@prisma/driver-adapter-utils';
import { type Clock, pause } from '../clock.js';

/**
 * WAL lets readers work beside the writer. `synchronous=NORMAL` survives a killed process; a power cut may take the last
 * commits, never the file's integrity. SQLite's own waiting for a lock would stop the process; see {@link patiently}.
 */
const WRITER_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
`;

/** How long a lock of another process, such as a backup, is waited for, in milliseconds. */
const LOCK_TIMEOUT_MS = 5_000;
/** How often it is tried again meanwhile, in milliseconds. */
const LOCK_RETRY_MS = 25;

/** Opens the one connection that writes. Everything on it queues behind an open transaction; see {@link queued}. */
export function sqliteWriter(file: string, clock: Clock): SqlDriverAdapterFactory {
  const factory = new PrismaBetterSqlite3({ url: `file:${file}`, timeout: 0 });
  return {
    ...namesOf(factory),
    async connect() {
      const adapter = await factory.connect();
      await patiently(clock, () => adapter.executeScript(WRITER_PRAGMAS));
      return queued(adapter, clock);
    },
  };
}

/** Opens a connection that only reads committed rows; a write on it is refused by SQLite itself. */
export function sqliteReader(file: string, clock: Clock): SqlDriverAdapterFactory {
  const factory = new PrismaBetterSqlite3({ url: `file:${file}`, readonly: true, timeout: 0 });
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

/** Runs `work`, again for a while where another process has the file locked. Others have their turn in between. */
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

/** `SQLITE_BUSY`, by the name that the adapter has for it. */
function isLocked(error: unknown): boolean {
  return isDriverAdapterError(error) && error.cause.kind === 'SocketTimeout';
}

/**
 * The adapter has one connection and only keeps transactions apart from each other: a statement outside a transaction
 * would run inside somebody else's open one, and be lost when that one rolls back. Here such a statement waits.
 */
function queued(adapter: SqlDriverAdapter, clock: Clock): SqlDriverAdapter {
  const lock = createLock();
  const exclusively = <T>(statement: () => Promise<T>): Promise<T> =>
    patiently(clock, async () => {
      const release = await lock();
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
    startTransaction: () => patiently(clock, async () => begin(adapter, await lock())),
  };
}

/**
 * Begins with the right to write, so that no statement in it meets a lock of another process.
 * @param release gives up the queue's lock, when the transaction ends or does not begin
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
        // Rolled back by then, except after a commit that failed, which may leave it open.
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

/** A first-come, first-served lock: resolves to the function that gives it up, which may be called more than once. */
function createLock(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const previous = last;
    let release: () => void = () => {};
    last = new Promise((resolve) => {
      release = resolve;
    });
    await previous;
    return release;
  };
}
