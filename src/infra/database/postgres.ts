import { PrismaPg } from '@prisma/adapter-pg';
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';

/** How long a connection, a new one or one of the pool's, may be waited for, in milliseconds. */
const CONNECTION_TIMEOUT_MS = 5_000;

/**
 * How long a statement may take until all of its answer is there, in milliseconds. It is counted on this side: a server that
 * stopped or cannot be reached counts nothing, and pgbouncer refuses connections that ask for `statement_timeout`.
 */
const STATEMENT_TIMEOUT_MS = 5_000;

/** How long a transaction may wait for its connection, and how long it may take, in milliseconds. */
export const POSTGRES_TRANSACTION_OPTIONS = { maxWait: CONNECTION_TIMEOUT_MS, timeout: 10_000 };

/**
 * The two doors to one pool, from which every read and write takes its connection. Nothing in it is waited for without an end;
 * the writer's end is the pool's.
 */
export function postgresPool(url: string, size: number): Record<'reader' | 'writer', SqlDriverAdapterFactory> {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    Client: Connection,
  });
  return { reader: readingOnly(new PrismaPg(pool)), writer: new PrismaPg(pool, { disposeExternalPool: true }) };
}

const READS = /^\s*SELECT\b/i;

/**
 * The same connections, on which a statement that may write is refused before it is sent. The server would refuse it by a
 * setting of the session, which a pgbouncer in transaction mode would hand on to others, or by a transaction around each read,
 * which takes two more round trips.
 */
function readingOnly(factory: PrismaPg): SqlDriverAdapterFactory {
  const refuse = async (): Promise<never> => {
    throw new Error('the reading door takes nothing but SELECT');
  };
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect(): Promise<SqlDriverAdapter> {
      const adapter = await factory.connect();
      const queryRaw = adapter.queryRaw.bind(adapter);
      adapter.queryRaw = (query) => (READS.test(query.sql) ? queryRaw(query) : refuse());
      return Object.assign(adapter, { executeRaw: refuse, executeScript: refuse, startTransaction: refuse });
    },
  };
}

/**
 * The few connections that migrations run on. Their statements have no time limit: they may wait for another process that
 * migrates, and may work for long.
 */
export function postgresForMigrations(url: string): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPg({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
  });
  return withoutSessionLock(factory);
}

/** Any number that nobody else on the same database takes for a lock of their own. */
const MIGRATION_LOCK = 4_900_100;

/**
 * Runs `migrate` while no other process migrates the same database. The lock is one of a transaction, which a pgbouncer in
 * transaction mode keeps on one connection; one of a session would stay behind on a connection that others use.
 */
export async function aloneOnPostgres(url: string, migrate: () => Promise<unknown>): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
  });
  // A connection that is lost between two statements is told of here alone; the next statement is rejected then.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await migrate();
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/** The session's lock of Prisma's migrations; see {@link aloneOnPostgres}. */
const SESSION_LOCK = /^SELECT pg_advisory_lock\(/i;

/** Migrations that take no lock of their own. */
function withoutSessionLock(factory: PrismaPg): SqlMigrationAwareDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connectToShadowDb: () => factory.connectToShadowDb(),
    async connect() {
      const adapter = await factory.connect();
      const executeRaw = adapter.executeRaw.bind(adapter);
      adapter.executeRaw = async (query) => (SESSION_LOCK.test(query.sql.trim()) ? 0 : executeRaw(query));
      return adapter;
    },
  };
}

/** A connection that ends with the first answer that is not there in time, so that what comes late is nobody else's answer. */
class Connection extends pg.Client {
  // The library's overloads all fit this one, and what it returns is passed on as it is.
  override query(...statement: unknown[]): never {
    const answer: unknown = Reflect.apply(super.query, this, statement);
    if (answer instanceof Promise) {
      answer.catch((error: Error) => {
        if (error.message === 'Query read timeout') this.end().catch(() => {});
      });
    }
    return answer as never;
  }
}
