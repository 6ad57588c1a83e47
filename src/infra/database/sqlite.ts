import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapter, SqlDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils';

/**
 * WAL lets readers work beside the writer. `synchronous=NORMAL` survives a killed process; a power cut may take the last
 * commits, never the file's integrity.
 */
const WRITER_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = 5000;
`;
const READER_PRAGMAS = 'PRAGMA busy_timeout = 5000;';

/** Opens the one connection that writes. Everything on it queues behind an open transaction; see {@link queued}. */
export function sqliteWriter(file: string): SqlDriverAdapterFactory {
  return withPragmas(new PrismaBetterSqlite3({ url: `file:${file}` }), WRITER_PRAGMAS, queued);
}

/** Opens a connection that only reads committed rows; a write on it is refused by SQLite itself. */
export function sqliteReader(file: string): SqlDriverAdapterFactory {
  return withPragmas(new PrismaBetterSqlite3({ url: `file:${file}`, readonly: true }), READER_PRAGMAS, (same) => same);
}

function withPragmas(
  factory: SqlDriverAdapterFactory,
  pragmas: string,
  wrap: (adapter: SqlDriverAdapter) => SqlDriverAdapter,
): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const adapter = await factory.connect();
      await adapter.executeScript(pragmas);
      return wrap(adapter);
    },
  };
}

/**
 * The adapter has one connection and only keeps transactions apart from each other: a statement outside a transaction
 * would run inside somebody else's open one, and be lost when that one rolls back. Here such a statement waits.
 */
function queued(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const lock = createLock();
  const exclusively = async <T>(statement: () => Promise<T>): Promise<T> => {
    const release = await lock();
    try {
      return await statement();
    } finally {
      release();
    }
  };
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    queryRaw: (query) => exclusively(() => adapter.queryRaw(query)),
    executeRaw: (query) => exclusively(() => adapter.executeRaw(query)),
    executeScript: (script) => exclusively(() => adapter.executeScript(script)),
    dispose: () => adapter.dispose(),
    async startTransaction(isolationLevel) {
      const release = await lock();
      try {
        return releasing(await adapter.startTransaction(isolationLevel), release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/** Makes `transaction` give up the lock when it ends, either way. */
function releasing(transaction: Transaction, release: () => void): Transaction {
  const commit = transaction.commit.bind(transaction);
  const rollback = transaction.rollback.bind(transaction);
  transaction.commit = () => commit().finally(release);
  transaction.rollback = () => rollback().finally(release);
  return transaction;
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
