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
 * The query plan of a read for any parameters, one line a step. PostgreSQL plans for a very large number of rows in
 * every non-empty table and without statistics. It avoids sequential scans where it can. Otherwise the plan for small
 * tables would depend on the last ANALYZE, and on ties of equal cost.
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

/** Runs in a transaction that is rolled back. */
const SUPPOSE_MANY_ROWS = `
  DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace);
  UPDATE pg_class SET relpages = 0, reltuples = -1 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i');
  UPDATE pg_class SET relpages = 1, reltuples = 100000
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') AND pg_relation_size(oid) > 0`;

async function postgresPlan(connectionString: string, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(`BEGIN; ${SUPPOSE_MANY_ROWS}`);
    await client.query(`SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; PREPARE asked AS ${sql}`);
    const parameters = Array.from(new Set(sql.match(/\$\d+/g)), () => 'NULL').join(', ');
    const { rows } = await client.query(`EXPLAIN EXECUTE asked${parameters && `(${parameters})`}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}
