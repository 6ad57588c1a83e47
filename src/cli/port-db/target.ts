import pg from 'pg';
import type { StartError } from '../../config.js';
import { systemClock } from '../../infra/clock.js';
import { type DatabaseLock, lockDatabase } from '../../infra/database/database-lock.js';
import { migrate } from '../../infra/database/migrations.js';
import { openFault } from '../../infra/database/open-fault.js';
import { aloneOnPostgres, postgresForMigrations } from '../../infra/database/postgres.js';
import { COPY_SCHEMA } from '../../infra/database/unfinished-copy.js';
import { createLogger } from '../../infra/observability/logger.js';
import { Failure } from '../failure.js';
import { quoted, readTables, type Table } from './tables.js';
import { checksum, postgresValue, type Row, selected } from './values.js';

const CONNECTION_TIMEOUT_MS = 5_000;

/** Idle time before the first TCP keepalive probe. The system's default is hours. */
const PROBE_AFTER_MS = 10_000;

const ROWS_PER_FETCH = 500;

/** The part of a table that the target has. */
export interface Copied {
  /** Primary key of the last row, in the order of the source; null before the first. */
  lastKey: Row | null;
  rows: number;
  /** Of the rows as they were read from the source. */
  checksum: bigint;
}

export interface Target {
  tables: readonly Table[];
  /** Whether an earlier run began the copy. */
  isResumed: boolean;
  /** Settles if another process took the database during a connection loss. */
  taken: Promise<StartError>;
  copied(table: Table): Promise<Copied>;
  /** Stores the rows and the progress in one statement. */
  write(table: Table, rows: readonly Row[], progress: Copied): Promise<void>;
  /** Reads all rows. */
  measure(table: Table, onRows: (count: number) => void): Promise<Pick<Copied, 'rows' | 'checksum'>>;
  /** Removes the progress, so that an instance can start. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Such as for a full disk or a server that stops. */
export function isRefusedByPostgres(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

/**
 * Creates the tables in an empty database, or continues an unfinished copy. No instance can start on it until the end.
 * @param state of the source ({@link Source.state})
 * @throws {Failure} if the database has other data, or a copy of another state
 * @throws {StartError} if it cannot be opened, or if another process uses it
 */
export async function openTarget(url: string, state: string): Promise<Target> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_AFTER_MS,
  });
  // A connection lost between two statements only emits this event. The next statement rejects.
  client.on('error', () => {});
  let lock: DatabaseLock | null = null;
  try {
    await client.connect();
    await requireUsable(client);
    lock = await lockDatabase(url, systemClock);
    const isResumed = await prepare(client, url, state);
    return targetOf(client, await readTables(client), isResumed, lock);
  } catch (error) {
    await Promise.all([client.end(), lock?.release()]);
    throw error instanceof Failure ? error : openFault(error, { databaseUrl: url, dataDir: '' }, '--to');
  }
}

const SCHEMA = `CREATE SCHEMA ${COPY_SCHEMA};
  CREATE TABLE ${COPY_SCHEMA}.source ("state" text NOT NULL);
  CREATE TABLE ${COPY_SCHEMA}.progress ("table" text PRIMARY KEY, "lastKey" jsonb, "rows" bigint, "checksum" numeric);`;

/** @returns whether the database has an unfinished copy; otherwise it is empty */
async function requireUsable(client: pg.Client): Promise<boolean> {
  const { rows: encodings } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = encodings[0]?.server_encoding;
  if (encoding !== 'UTF8') {
    throw new Failure(
      `the database of --to stores text as ${encoding}: create one with createdb --template=template0 --encoding=UTF8`,
    );
  }
  const { rows: schemas } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [COPY_SCHEMA]);
  if (schemas.length > 0) return true;
  const { rowCount } = await client.query('SELECT FROM pg_tables WHERE schemaname = current_schema()');
  if (rowCount === 0) return false;
  throw new Failure(
    'the database of --to has tables already. Create an empty one (createdb), and name it with --to. An instance cannot be merged with another',
  );
}

/** @returns whether an earlier run began the copy */
async function prepare(client: pg.Client, url: string, state: string): Promise<boolean> {
  // Another copy may have begun or ended before the lock was taken.
  if (!(await requireUsable(client))) await client.query(SCHEMA);
  const { rows: states } = await client.query<{ state: string }>(`SELECT "state" FROM ${COPY_SCHEMA}.source`);
  const [begun] = states;
  if (begun?.state === state) return true;
  if (begun) {
    throw new Failure(
      `the SQLite database has changed since the copy into the database of --to began (then: ${begun.state}; now: ${state}). Drop that database, create it again, and run this command again`,
    );
  }
  await begin(client, url, state);
  return false;
}

/** Removes what an earlier run created, which may have ended in the middle of a migration. */
const REMOVE_TABLES = `DO $$ DECLARE "created" text; BEGIN
  FOR "created" IN
    SELECT format('TABLE %I', tablename) FROM pg_tables WHERE schemaname = current_schema()
    UNION ALL
    SELECT format('TYPE %I', typname) FROM pg_type WHERE typtype = 'e' AND typnamespace = current_schema()::regnamespace
  LOOP EXECUTE format('DROP %s CASCADE', "created"); END LOOP;
END $$`;

/** Creates the tables, without the rows that migrations insert, because the source has them, too. */
async function begin(client: pg.Client, url: string, state: string): Promise<void> {
  await client.query(REMOVE_TABLES);
  const log = await createLogger('silent');
  await aloneOnPostgres(url, () => migrate('postgresql', postgresForMigrations(url), log, true));
  const tables = await readTables(client);
  const names = tables.map(({ name }) => quoted(name)).join();
  await client.query('BEGIN');
  await client.query(`TRUNCATE ${names}`);
  await client.query(`INSERT INTO ${COPY_SCHEMA}.source VALUES ($1)`, [state]);
  await client.query('COMMIT');
}

function targetOf(client: pg.Client, tables: readonly Table[], isResumed: boolean, lock: DatabaseLock): Target {
  return {
    tables,
    isResumed,
    taken: lock.taken,
    copied: ({ name }) => readProgress(client, name),
    async write(table, rows, { lastKey, rows: count, checksum: sum }) {
      const progress = [JSON.stringify(lastKey), count, String(sum)];
      try {
        await client.query({ text: insertion(table), values: [JSON.stringify(rows), ...progress] });
      } catch (error) {
        throw refusedRow(table, error) ?? error;
      }
    },
    measure: (table, onRows) => measure(client, table, onRows),
    async finish() {
      await client.query('ANALYZE');
      await client.query(`DROP SCHEMA ${COPY_SCHEMA} CASCADE`);
    },
    async close() {
      await Promise.all([client.end(), lock.release()]);
    },
  };
}

/** PostgreSQL's classes of data exceptions and violated constraints (documentation, Appendix A). */
const REFUSED_ROW = /^2[23]/;

function refusedRow({ name }: Table, error: unknown): Failure | null {
  if (!(error instanceof pg.DatabaseError) || !REFUSED_ROW.test(error.code ?? '')) return null;
  const reason = [error.message, error.detail].filter((text) => text !== undefined).join(': ');
  return new Failure(
    `PostgreSQL refuses a row of ${name}: ${reason}. Correct or delete the row in a copy of the SQLite database, and copy from there into an empty database`,
  );
}

async function readProgress(client: pg.Client, table: string): Promise<Copied> {
  const { rows } = await client.query<{ lastKey: Row; rows: string; checksum: string }>(
    `SELECT * FROM ${COPY_SCHEMA}.progress WHERE "table" = $1`,
    [table],
  );
  const [row] = rows;
  if (!row) return { lastKey: null, rows: 0, checksum: 0n };
  return { lastKey: row.lastKey, rows: Number(row.rows), checksum: BigInt(row.checksum) };
}

function insertion({ name, columns }: Table): string {
  const names = columns.map((column) => quoted(column.name)).join();
  const values = columns.map(({ type }, place) => `("row"->>${place})::${type}`).join();
  return `
    WITH "added" AS (
      INSERT INTO ${quoted(name)} (${names}) SELECT ${values} FROM jsonb_array_elements($1::jsonb) AS "row"
    )
    INSERT INTO ${COPY_SCHEMA}.progress ("table", "lastKey", "rows", "checksum") VALUES ('${name}', $2, $3, $4)
    ON CONFLICT ("table") DO UPDATE
      SET "lastKey" = excluded."lastKey", "rows" = excluded."rows", "checksum" = excluded."checksum"`;
}

async function measure(client: pg.Client, table: Table, onRows: (count: number) => void) {
  const columns = table.columns.map(({ kind, name }) => selected(kind, quoted(name))).join();
  await client.query('BEGIN');
  await client.query(`DECLARE "copied" NO SCROLL CURSOR FOR SELECT ${columns} FROM ${quoted(table.name)}`);
  let measured = { rows: 0, checksum: 0n };
  for (;;) {
    const { rows } = await client.query<(string | null)[]>({
      text: `FETCH ${ROWS_PER_FETCH} FROM "copied"`,
      rowMode: 'array',
    });
    if (rows.length === 0) break;
    const values = rows.map((row) => table.columns.map(({ kind }, place) => postgresValue(kind, row[place] ?? null)));
    measured = { rows: measured.rows + rows.length, checksum: checksum(values, measured.checksum) };
    onRows(measured.rows);
  }
  await client.query('COMMIT');
  return measured;
}
