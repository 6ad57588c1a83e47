import pg from 'pg';
import { measureRoundTrips, type RoundTrips } from '../round-trips.js';
import { findLockHolder } from './database-lock.js';
import { CONNECTION_TIMEOUT_MS, endQuietly, STATEMENT_TIMEOUT_MS, takesStatementTimeout } from './postgres.js';

export interface PostgresFacts extends RoundTrips {
  /** Such as `15.4`. */
  version: string;
  encoding: string;
  collation: string;
  /** The version that the text indexes were made with, if the server has another one. Only from PostgreSQL 15. */
  outdatedCollation: string | null;
  isReadOnly: boolean;
  mayCreateTables: boolean;
  /** Whether pgbouncer, or a pooler like it, stands between. The connections are then those behind it. */
  isPooled: boolean;
  /** Whether a pooler refuses transactions. */
  refusesTransactions: boolean;
  /** Connections that this user can still open. */
  freeConnections: number;
  maxConnections: number;
  /** The server process that holds the database for a process without Redis, or null. */
  lockHolder: number | null;
}

interface Row {
  version: string;
  number: number;
  encoding: string;
  collation: string;
  isReadOnly: boolean;
  mayCreateTables: boolean;
  freeConnections: number;
  maxConnections: number;
}

/** A limit of -1 means none. Superusers may use the reserved connections, too, which Causeway must not need. */
const FACTS = `
  SELECT
    current_setting('server_version') AS "version",
    current_setting('server_version_num')::int AS "number",
    pg_encoding_to_char(d.encoding) AS "encoding",
    d.datcollate AS "collation",
    (pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool) AS "isReadOnly",
    COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreateTables",
    current_setting('max_connections')::int AS "maxConnections",
    LEAST(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - COALESCE(current_setting('reserved_connections', true)::int, 0)
        - (SELECT sum(numbackends) FROM pg_stat_database)::int,
      CASE WHEN d.datconnlimit < 0 THEN NULL ELSE d.datconnlimit - pg_stat_get_db_numbackends(d.oid) END,
      CASE WHEN r.rolconnlimit < 0 THEN NULL
        ELSE r.rolconnlimit - (SELECT count(*)::int FROM pg_stat_activity WHERE usesysid = r.oid) END
    ) + 1 AS "freeConnections"
  FROM pg_database d, pg_roles r
  WHERE d.datname = current_database() AND r.rolname = current_user`;

const COLLATION = `
  SELECT datcollversion AS "recorded" FROM pg_database
  WHERE datname = current_database() AND datcollversion <> pg_database_collation_actual_version(oid)`;

const FIRST_WITH_COLLATION_VERSION = 150_000;

/** Writes nothing. @throws the error of the server or the connection */
export async function inspectPostgres(url: string): Promise<PostgresFacts> {
  const isPooled = !(await takesStatementTimeout(url));
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<Row>(FACTS);
    const [row] = rows;
    if (!row) throw new Error('the server does not show this database to its user');
    const { number, ...facts } = row;
    const collation = number < FIRST_WITH_COLLATION_VERSION ? null : await outdatedCollation(client);
    const trips = await measureRoundTrips(() => askTime(client));
    const lockHolder = await findLockHolder(client);
    // Last, because a pooler that refuses it closes the connection.
    const isRefused = await refusesTransactions(client);
    return { ...facts, ...trips, isPooled, outdatedCollation: collation, lockHolder, refusesTransactions: isRefused };
  } finally {
    endQuietly(client);
  }
}

async function outdatedCollation(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ recorded: string }>(COLLATION);
  return rows[0]?.recorded ?? null;
}

/** A pgbouncer in statement mode does. */
async function refusesTransactions(client: pg.Client): Promise<boolean> {
  try {
    await client.query('BEGIN');
    await client.query('ROLLBACK');
    return false;
  } catch {
    return true;
  }
}

async function askTime(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ at: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at');
  return Number(rows[0]?.at);
}
