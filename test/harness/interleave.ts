import pg from 'pg';
import type { AppContext } from '../../src/context.js';

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
export function between<T>(
  statement: RegExp,
  meanwhile: () => Promise<unknown>,
  work: () => Promise<T>,
  skip = 0,
): Promise<T> {
  return atStatement(statement, skip, (query) => meanwhile().then(() => query()), work);
}

/**
 * Does `meanwhile` once the database has done the first statement of `work` that matches, and before anybody hears of it.
 * @throws when no statement matched
 */
export function beforeAnswer<T>(
  statement: RegExp,
  meanwhile: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const held = (query: Ask, args: unknown[]) => {
    const answer = args.at(-1);
    if (typeof answer !== 'function') return (query() as Promise<unknown>).finally(meanwhile);
    const late = (...answered: unknown[]) => {
      // What went wrong meanwhile is answered, too: nobody waits for it in vain.
      meanwhile().then(() => answer(...answered), answer as (fault: unknown) => void);
    };
    return query([...args.slice(0, -1), late]);
  };
  return atStatement(statement, 0, held, work);
}

/** Asks the database for a statement, as it was or with other arguments. */
type Ask = (args?: unknown[]) => unknown;

/** Does `work`, of which `instead` asks for one statement: the first one that matches after `skip` others. @throws when none did */
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

/** Whether a statement waits for a row that another transaction has. */
export async function isAnybodyWaiting({ db }: Pick<AppContext, 'db'>): Promise<boolean> {
  const waiting = await db.reader.$queryRaw<unknown[]>`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return waiting.length > 0;
}

/** A way to look for one row. */
type Look =
  | 'authorizationCode.findUnique'
  | 'guild.findUnique'
  | 'installation.findUnique'
  | 'message.findMany'
  | 'oAuthToken.findUnique'
  | 'reaction.findFirst';

/**
 * The same app, whose first `count` looks of a kind are all answered before any of them goes on. So they have read the same on
 * SQLite too, where reads never overlap by themselves.
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

/** The same app, in which `meanwhile` is done after a look of a kind is answered and before anybody hears of it. */
export function afterLook(app: AppContext, look: Look, meanwhile: () => Promise<unknown>): AppContext {
  const reader = replacingReads(app.db.reader, look, async (read) => {
    const row = await read();
    await meanwhile();
    return row;
  });
  return { ...app, db: { ...app.db, reader } };
}

/** The same client, whose looks of a kind are done by `instead`, which is handed the real one. */
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
