import pg from 'pg';

/** Why nothing can be tried with PostgreSQL here, or null when it can. */
export const noPostgres = process.env.TEST_DATABASE_URL
  ? null
  : 'needs PostgreSQL; name a server with TEST_DATABASE_URL';

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/**
 * Does `meanwhile` between two statements of `work`: right before the first one that matches, or a later one.
 * @param skip how many matching statements pass before
 * @throws when no statement matched
 */
export async function between<T>(
  statement: RegExp,
  meanwhile: () => Promise<unknown>,
  work: () => Promise<T>,
  skip = 0,
): Promise<T> {
  const query = pg.Client.prototype.query as Query;
  let isDone = false;
  let passed = 0;
  const interleaved: Query = function (...args) {
    const [first] = args as [string | { text: string }];
    if (isDone || !statement.test(typeof first === 'string' ? first : first.text)) return query.apply(this, args);
    passed += 1;
    if (passed <= skip) return query.apply(this, args);
    isDone = true;
    return meanwhile().then(() => query.apply(this, args));
  };
  Object.assign(pg.Client.prototype, { query: interleaved });
  try {
    const result = await work();
    if (!isDone) throw new Error(`no statement matched ${statement}`);
    return result;
  } finally {
    Object.assign(pg.Client.prototype, { query });
  }
}
