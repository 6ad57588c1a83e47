import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { SIGN_OF_LIFE } from '../../src/infra/database/postgres.js';

interface Prepared {
  all(...args: unknown[]): unknown[];
}

interface Preparing {
  prepare(sql: string): Prepared;
}

/** Every row from PostgreSQL passes this method. */
const postgresQuery = pg.Query.prototype as unknown as { handleDataRow(row: unknown): void };

const require = createRequire(import.meta.url);
const { prototype: sqlite } = require('better-sqlite3') as { prototype: Preparing };

/** Statements of timers, unrelated to the work. */
function isByTheWay(statement: string): boolean {
  return (
    statement === SIGN_OF_LIFE ||
    /^(UPDATE \S+ SET \S*LastUsedAt|WITH .*INSERT INTO \S*BoxMeasure|\s*UPDATE "LiveProcess"|\s*SELECT "signsWith")/s.test(
      statement,
    )
  );
}

/** Milliseconds without a statement after which the process counts as idle. */
const QUIET_MS = 10;

/** The statements during some work, and their results. */
export interface Readings<Result> {
  statements: string[];
  rows: number;
  result: Result;
}

/** Records the statements and counts the rows while `work` runs, on either database. */
export async function readingsOf<Result>(work: () => Promise<Result>): Promise<Readings<Result>> {
  const seen = { statements: [] as string[], rows: 0 };
  const prepare = sqlite.prepare;
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  const { handleDataRow } = postgresQuery;
  sqlite.prepare = function (this: Preparing, sql: string) {
    if (!isByTheWay(sql)) seen.statements.push(sql);
    const prepared = prepare.call(this, sql);
    const all = prepared.all;
    prepared.all = (...args) => {
      const rows = all.apply(prepared, args);
      seen.rows += rows.length;
      return rows;
    };
    return prepared;
  };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      const [first] = args as [string | { text: string }];
      const text = typeof first === 'string' ? first : first.text;
      if (!isByTheWay(text)) seen.statements.push(text);
      return query.apply(this, args);
    },
  });
  postgresQuery.handleDataRow = function (this: pg.Query, row: unknown) {
    seen.rows += 1;
    handleDataRow.call(this, row);
  };
  try {
    // Servers of this process may still be finishing the work of an earlier test.
    for (let before = -1; before < seen.statements.length; await setTimeout(QUIET_MS)) before = seen.statements.length;
    Object.assign(seen, { statements: [], rows: 0 });
    const result = await work();
    return { ...seen, result };
  } finally {
    sqlite.prepare = prepare;
    Object.assign(pg.Client.prototype, { query });
    postgresQuery.handleDataRow = handleDataRow;
  }
}

export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await readingsOf(work)).statements;
}

export async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
  return (await readingsOf(work)).rows;
}

export interface Refusals {
  refused: string[];
  end(): void;
}

/** From now on, a statement that matches fails before it reaches the database. */
export function refuseStatements(statement: RegExp): Refusals {
  const refused: string[] = [];
  const prepare = sqlite.prepare;
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  const refuse = (sql: string) => {
    if (!statement.test(sql)) return null;
    refused.push(sql);
    return new Error(`refused: ${sql}`);
  };
  sqlite.prepare = function (this: Preparing, sql: string) {
    const error = refuse(sql);
    if (error) throw error;
    return prepare.call(this, sql);
  };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      const [first] = args as [string | { text: string }];
      const error = refuse(typeof first === 'string' ? first : first.text);
      if (!error) return query.apply(this, args);
      const done = args.at(-1);
      return typeof done === 'function' ? process.nextTick(done as () => void, error) : Promise.reject(error);
    },
  });
  return {
    refused,
    end() {
      sqlite.prepare = prepare;
      Object.assign(pg.Client.prototype, { query });
    },
  };
}
