import { PrismaPg } from '@prisma/adapter-pg';
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { isDoneWithin } from '../deadlines.js';
import type { PoolState } from '../metrics.js';

/** How long a connection, a new one or one of the pool's, may be waited for, in milliseconds. */
const CONNECTION_TIMEOUT_MS = 5_000;

/**
 * How long a statement may take until all of its answer is there, in milliseconds. It is counted on this side: a server that
 * stopped or cannot be reached counts nothing.
 */
export const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * After how long the server cancels a statement, in milliseconds. It is less than {@link STATEMENT_TIMEOUT_MS}, so that a slow write is
 * known not to be done.
 */
const CANCELLED_AFTER_MS = 4_500;

/** How long a transaction may wait for its connection, and how long it may take, in milliseconds. */
export const POSTGRES_TRANSACTION_OPTIONS = { maxWait: CONNECTION_TIMEOUT_MS, timeout: 10_000 };

export interface PostgresPool {
  reader: SqlDriverAdapterFactory;
  writer: SqlDriverAdapterFactory;
  connections(): PoolState;
}

/**
 * The two doors to one pool, from which every read and write takes its connection. Nothing in it is waited for without an end;
 * the writer's end is the pool's.
 */
export async function postgresPool(url: string, size: number): Promise<PostgresPool> {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    statement_timeout: (await takesStatementTimeout(url)) ? CANCELLED_AFTER_MS : undefined,
    keepAlive: true,
    Client: Connection,
  });
  return {
    reader: readingOnly(new PrismaPg(pool)),
    writer: new PrismaPg(pool, { disposeExternalPool: true }),
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
  };
}

/** Whether a connection may ask for `statement_timeout`; pgbouncer refuses one that does, unless it is told to ignore it. */
async function takesStatementTimeout(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    statement_timeout: CANCELLED_AFTER_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === PROTOCOL_VIOLATION) return false;
    throw error;
  } finally {
    endQuietly(client);
  }
}

/** PostgreSQL's code (documentation, Appendix A) with which pgbouncer refuses a parameter of a connection. */
const PROTOCOL_VIOLATION = '08P01';

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
    keepAliveInitialDelayMillis: PROBE_AFTER_MS,
  });
  return withoutSessionLock(factory);
}

/** Any number that nobody else on the same database takes for a lock of their own. */
const MIGRATION_LOCK = 4_900_100;

/** For how long a lock may outlast a process that nobody hears of any more, in milliseconds. */
export interface LockTimes {
  /** After so long without a sign of the process the server ends its connection, and with it the lock. */
  silence: number;
  /** How often the process gives a sign, and how long it waits at most for the server's answer to it. */
  sign: number;
}

/** A process that is not answered gives up its lock ten seconds before the server would, and seeks it again. */
export const LOCK_TIMES: LockTimes = { silence: 30_000, sign: 10_000 };

/** After how long without a byte the system asks whether the other end is there, in milliseconds; left alone, it waits for hours. */
const PROBE_AFTER_MS = 10_000;

/**
 * A connection with a transaction that stays open for a lock, until the connection or the machine of either end is gone. A pgbouncer in
 * transaction mode keeps such a lock on one connection; one of a session would stay behind on a connection that others use.
 * @param statementTimeout how long an answer is waited for, in milliseconds, before the connection is ended; without it there is no limit
 * @returns it, to be given to {@link keepLock} once it has its lock
 */
export async function beginForLock(
  url: string,
  { silence }: LockTimes = LOCK_TIMES,
  statementTimeout?: number,
): Promise<pg.Client> {
  const client = new Connection({
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: statementTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_AFTER_MS,
  });
  // A connection that is lost between two statements is told of here alone; the next statement is rejected then.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${silence}`);
    return client;
  } catch (error) {
    endQuietly(client);
    throw error;
  }
}

/** Ends a connection whose end nobody waits for: a server that is not reached any more answers nothing. */
export function endQuietly(client: pg.Client): void {
  client.end().catch(() => {});
}

/** By which a process shows the server that it is there. */
export const SIGN_OF_LIFE = "SELECT 'alive' WHERE false";

/** Shows the server that the process is there, as long as it answers; a connection on which it does not is ended. */
export function keepLock(client: pg.Client, { sign }: LockTimes = LOCK_TIMES): void {
  const giveSign = async () => {
    const isThere = await isDoneWithin(sign, client.query(SIGN_OF_LIFE)).catch(() => false);
    if (!isThere) endQuietly(client);
  };
  const timer = setInterval(() => void giveSign(), sign).unref();
  client.once('end', () => clearInterval(timer));
}

/** Runs `migrate` while no other process migrates the same database. */
export async function aloneOnPostgres(url: string, migrate: () => Promise<unknown>, times?: LockTimes): Promise<void> {
  const client = await beginForLock(url, times);
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    keepLock(client, times);
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
        if (error.message === 'Query read timeout') endQuietly(this);
      });
    }
    return answer as never;
  }
}
