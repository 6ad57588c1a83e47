import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import type { TestServer } from './server.js';

interface Opened {
  prepare(sql: string): { all(...args: unknown[]): { detail: string }[] };
  close(): void;
}

const require = createRequire(import.meta.url);
const Sqlite = require('better-sqlite3') as new (file: string) => Opened;

/**
 * How the server's database would work out a statement of reading, whatever its parameters are: one line a step. PostgreSQL says how
 * it would where it had to avoid reading a whole table, which is what it prefers for a small one, and knew nothing of what is in them: that depends on when it last
 * looked.
 */
export function planOf({ app }: Pick<TestServer, 'app'>, sql: string): Promise<string> {
  const { databaseUrl, dataDir } = app.config;
  return databaseUrl === null ? sqlitePlan(join(dataDir, 'causeway.db'), sql) : postgresPlan(databaseUrl, sql);
}

async function sqlitePlan(file: string, sql: string): Promise<string> {
  const database = new Sqlite(file);
  try {
    const parameters = Array.from(sql.matchAll(/\?/g), () => null);
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    return steps.map(({ detail }) => detail).join('\n');
  } finally {
    database.close();
  }
}

/** Within a transaction that is never committed. */
const FORGET_STATISTICS = `
  DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace);
  UPDATE pg_class SET relpages = 0, reltuples = -1 WHERE relnamespace = 'public'::regnamespace`;

async function postgresPlan(connectionString: string, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(`BEGIN; ${FORGET_STATISTICS}`);
    await client.query(`SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; PREPARE asked AS ${sql}`);
    const parameters = Array.from(new Set(sql.match(/\$\d+/g)), () => 'NULL').join(', ');
    const { rows } = await client.query(`EXPLAIN EXECUTE asked${parameters && `(${parameters})`}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}
