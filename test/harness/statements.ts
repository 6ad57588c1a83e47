import { createRequire } from 'node:module';
import pg from 'pg';

interface Preparing {
  prepare(sql: string): unknown;
}

const require = createRequire(import.meta.url);
const { prototype: sqlite } = require('better-sqlite3') as { prototype: Preparing };

/** The SQL statements that reach the database while `work` runs, whichever database it is. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const prepare = sqlite.prepare;
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  sqlite.prepare = function (this: Preparing, sql: string) {
    statements.push(sql);
    return prepare.call(this, sql);
  };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      const [first] = args as [string | { text: string }];
      statements.push(typeof first === 'string' ? first : first.text);
      return query.apply(this, args);
    },
  });
  try {
    await work();
  } finally {
    sqlite.prepare = prepare;
    Object.assign(pg.Client.prototype, { query });
  }
  return statements;
}
