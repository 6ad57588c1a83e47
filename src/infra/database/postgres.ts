import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { isDoneWithin } from '../concurrency/timeouts.js';
import type { PoolState } from '../observability/metrics.js';

export const CONNECTION_TIMEOUT_MS = 5_000;

/** Limits the wait for a whole answer. The client applies it, because an unreachable server cannot. */
export const STATEMENT_TIMEOUT_MS = 5_000;

/** The server cancels a slow write before the client stops waiting, so that the write is known to have failed. */
const CANCELLED_AFTER_MS = 4_500;

/** Milliseconds. */
export const POSTGRES_TRANSACTION_OPTIONS = { maxWait: CONNECTION_TIMEOUT_MS, timeout: 10_000 };

export interface PostgresPool {
  adapter: SqlDriverAdapterFactory;
  connections(): PoolState;
}

/** Every wait has a time limit. */
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
    adapter: new PrismaPg(pool, { disposeExternalPool: true }),
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
  };
}

/** pgbouncer refuses connections that set `statement_timeout`, unless it is configured to ignore it. */
export async function takesStatementTimeout(url: string): Promise<boolean> {
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

/** Why the server does not accept a connection, or null. */
export async function postgresFault(url: string): Promise<Error | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return null;
  } catch (error) {
    return error as Error;
  } finally {
    endQuietly(client);
  }
}

/** pgbouncer's code for a refused connection parameter (PostgreSQL's documentation, Appendix A). */
const PROTOCOL_VIOLATION = '08P01';

/** Has no statement timeout: a migration may wait for another process, or take long. */
export function postgresForMigrations(url: string): SqlDriverAdapterFactory {
  return new PrismaPg({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_AFTER_MS,
  });
}

/** Arbitrary, but unique among the advisory locks of the database. */
const MIGRATION_LOCK = 4_900_100;

/** How long a lock may outlive an unreachable process, in milliseconds. */
export interface LockTimes {
  /** The server closes a connection that is silent for this long, which releases the lock. */
  silence: number;
  /** Interval of keepalive statements, and the time limit of each answer. */
  keepalive: number;
}

/** A process without an answer gives up its lock ten seconds before the server would. */
export const LOCK_TIMES: LockTimes = { silence: 30_000, keepalive: 10_000 };

/** Idle time before the first TCP keepalive probe. The system's default is hours. */
const PROBE_AFTER_MS = 10_000;

/**
 * Opens a connection whose transaction stays open to hold a lock until the connection ends. A pgbouncer in transaction
 * mode would leave a session's lock on a connection that other clients use.
 * @param statementTimeout time limit of an answer in milliseconds, which closes the connection; none by default
 * @returns the connection, for {@link keepLock} once it has its lock
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
  // A connection lost between two statements only emits this event. The next statement rejects.
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

/** Does not wait for a server that may be unreachable. */
export function endQuietly(client: pg.Client): void {
  client.end().catch(() => {});
}

export const SIGN_OF_LIFE = "SELECT 'alive' WHERE false";

/** Closes the connection if a keepalive statement gets no answer. */
export function keepLock(client: pg.Client, { keepalive }: LockTimes = LOCK_TIMES): void {
  const giveSign = async () => {
    const isThere = await isDoneWithin(keepalive, client.query(SIGN_OF_LIFE)).catch(() => false);
    if (!isThere) endQuietly(client);
  };
  const timer = setInterval(() => void giveSign(), keepalive).unref();
  client.once('end', () => clearInterval(timer));
}

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

/** Closes after the first timeout, so that a late answer is not taken for that of another statement. */
class Connection extends pg.Client {
  // Accepts all overloads of the library, and returns its result unchanged.
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
