import pg from 'pg';
import type { AppContext } from '../../src/context.js';
import { until } from './until.js';

/** The reason why PostgreSQL cannot be used, or null. */
export const noPostgres = process.env.TEST_DATABASE_URL
  ? null
  : 'needs PostgreSQL; name a server with TEST_DATABASE_URL';

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/**
 * Runs `concurrently` directly before a statement of `work` that matches.
 * @param skip number of matching statements before it
 * @throws if no statement matched
 */
export function between<T>(
  statement: RegExp,
  concurrently: () => Promise<unknown>,
  work: () => Promise<T>,
  skip = 0,
): Promise<T> {
  return atStatement(statement, skip, (query) => concurrently().then(() => query()), work);
}

/**
 * Runs `concurrently` after the database has executed the first matching statement of `work`, and before its caller gets
 * the result.
 * @throws if no statement matched
 */
export function beforeAnswer<T>(
  statement: RegExp,
  concurrently: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const held = (query: Ask, args: unknown[]) => {
    const answer = args.at(-1);
    if (typeof answer !== 'function') return (query() as Promise<unknown>).finally(concurrently);
    const late = (...answered: unknown[]) => {
      // An error of `concurrently` is returned as the result, so that the caller does not wait forever.
      concurrently().then(() => answer(...answered), answer as (fault: unknown) => void);
    };
    return query([...args.slice(0, -1), late]);
  };
  return atStatement(statement, 0, held, work);
}

/** @returns the error of `work`, for which the connection is lost after the first matching statement was executed */
export async function loseAnswer(statement: RegExp, work: () => Promise<unknown>): Promise<unknown> {
  const lost = () => Promise.reject(new Error('Connection terminated unexpectedly'));
  return beforeAnswer(statement, lost, work).catch((error: unknown) => error);
}

type Ask = (args?: unknown[]) => unknown;

/**
 * Runs `work`, in which `instead` sends the first matching statement after `skip` others.
 * @throws if no statement matched
 */
async function atStatement<T>(
  statement: RegExp,
  skip: number,
  instead: (query: Ask, args: unknown[]) => unknown,
  work: () => Promise<T>,
): Promise<T> {
  const query = pg.Client.prototype.query as Query;
  let passed = 0;
  const interleaved: Query = function (...args) {
    const [first] = args as [string | { text: string }];
    const isMeant = passed <= skip && statement.test(typeof first === 'string' ? first : first.text);
    if (isMeant) passed += 1;
    const ask: Ask = (asked = args) => query.apply(this, asked);
    return isMeant && passed > skip ? instead(ask, args) : ask();
  };
  Object.assign(pg.Client.prototype, { query: interleaved });
  try {
    const result = await work();
    if (passed <= skip) throw new Error(`no statement matched ${statement}`);
    return result;
  } finally {
    Object.assign(pg.Client.prototype, { query });
  }
}

export async function isAnybodyWaiting({ db }: Pick<AppContext, 'db'>): Promise<boolean> {
  const waiting = await db.reader.$queryRaw<unknown[]>`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return waiting.length > 0;
}

/** Resolves when the work is done, has failed or waits for a lock. */
export async function untilDoneOrWaiting(app: Pick<AppContext, 'db'>, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  await until(async () => isDone || (await isAnybodyWaiting(app)));
}

/** For {@link between}: `begin` starts `work`, and goes on as soon as it is done or waits for a lock. */
export function meanwhile<T>(
  app: Pick<AppContext, 'db'>,
  work: () => Promise<T>,
): { begin(): Promise<void>; done(): Promise<T> } {
  let done: Promise<T> | undefined;
  return {
    async begin() {
      done = work();
      await untilDoneOrWaiting(app, done);
    },
    async done() {
      if (!done) throw new Error('the work has not begun');
      return done;
    },
  };
}

type Look =
  | 'authorizationCode.findUnique'
  | 'guild.findUnique'
  | 'installation.findUnique'
  | 'message.findMany'
  | 'oAuthToken.findUnique'
  | 'reaction.findFirst';

/**
 * The same app, whose first `count` reads of a kind all wait for each other's results. They see the same state on
 * SQLite too, where reads never overlap otherwise.
 */
export function readingTogether(app: AppContext, look: Look, count: number): AppContext {
  let left = count;
  let open: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reader = replacingReads(app.db.reader, look, async (read) => {
    const row = await read();
    left -= 1;
    if (left === 0) open();
    await all;
    return row;
  });
  return { ...app, db: { ...app.db, reader } };
}

/** The same app. `concurrently` runs after a read of a kind and before its caller gets the result. */
export function afterLook(app: AppContext, look: Look, concurrently: () => Promise<unknown>): AppContext {
  const reader = replacingReads(app.db.reader, look, async (read) => {
    const row = await read();
    await concurrently();
    return row;
  });
  return { ...app, db: { ...app.db, reader } };
}

/** The same client. `instead` replaces its reads of a kind and gets the real function. */
function replacingReads<Client extends object>(
  client: Client,
  look: Look,
  instead: (read: () => Promise<unknown>) => Promise<unknown>,
): Client {
  const [model = '', method = ''] = look.split('.');
  const replaced = (target: object, name: string, value: unknown) =>
    new Proxy(target, { get: (on, asked) => (asked === name ? value : Reflect.get(on, asked)) });
  const table = Reflect.get(client, model) as object;
  const read = Reflect.get(table, method) as (...args: unknown[]) => Promise<unknown>;
  const looking = (...args: unknown[]) => instead(() => Reflect.apply(read, table, args));
  return replaced(client, model, replaced(table, method, looking)) as Client;
}
