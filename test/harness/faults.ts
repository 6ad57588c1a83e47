import { createRequire } from 'node:module';
import pg from 'pg';
import { onTestFinished } from 'vitest';

interface Preparing {
  prepare(sql: string): unknown;
}

const require = createRequire(import.meta.url);
const { prototype: sqlite } = require('better-sqlite3') as { prototype: Preparing };

const FAILING = 'SELECT 1 FROM a_table_that_is_not_there';

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/**
 * Makes every statement that matches fail, on either database. The error does not look like an outage.
 * @returns the number of failures so far, and a function that ends it
 */
export function failStatements(statement: RegExp): { count(): number; heal(): void } {
  const prepare = sqlite.prepare;
  const query = pg.Client.prototype.query as Query;
  let count = 0;
  const isToFail = (sql: string) => {
    const matches = statement.test(sql);
    if (matches) count += 1;
    return matches;
  };
  sqlite.prepare = function (sql) {
    return prepare.call(this, isToFail(sql) ? FAILING : sql);
  };
  const failing: Query = function (first, ...rest) {
    const asked = first as string | { text: string };
    if (!isToFail(typeof asked === 'string' ? asked : asked.text)) return query.call(this, first, ...rest);
    const instead = typeof asked === 'string' ? FAILING : { ...asked, text: FAILING, name: undefined };
    return query.call(this, instead, ...rest);
  };
  Object.assign(pg.Client.prototype, { query: failing });
  let isHealed = false;
  const heal = () => {
    if (isHealed) return;
    isHealed = true;
    sqlite.prepare = prepare;
    Object.assign(pg.Client.prototype, { query });
  };
  // Other files of the process would meet the fault of a test that failed before it healed it.
  onTestFinished(heal);
  return { count: () => count, heal };
}
