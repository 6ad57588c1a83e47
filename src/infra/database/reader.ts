import { setImmediate } from 'node:timers/promises';
import { Prisma, type PrismaClient } from './generated/sqlite/client.js';

/**
 * Prisma joins similar lookups of one event loop turn into one statement. SQLite accepts 999 parameters, and a lookup
 * may need three.
 */
const LOOKUPS_PER_TURN = 300;

const READS = /^(find(Unique|First)(OrThrow)?|findMany|count|aggregate|groupBy)$/;

const SELECTS = /^\s*SELECT\b/i;

type Method = (args: object) => Promise<unknown>;

/**
 * Shares the query compiler and the connections of `client`: another client would hold the schema in memory again.
 * Refuses writes.
 *
 * Splits the lookups (`findUnique`) of one event loop turn. Otherwise one caller's many lookups would make those of all
 * callers fail.
 */
export function readerOf(client: PrismaClient): PrismaClient {
  const models = Object.values(Prisma.ModelName).map((model) => {
    const name = uncapitalized(model);
    return [name, readingModel(client[name] as unknown as Record<string, Method>)];
  });
  const $queryRaw = (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => {
    const statement = 'raw' in query ? Prisma.sql(query, ...values) : query;
    return SELECTS.test(statement.sql) ? client.$queryRaw(statement) : refuse();
  };
  return { ...Object.fromEntries(models), $queryRaw, $executeRaw: refuse, $transaction: refuse };
}

function uncapitalized<Name extends string>(name: Name): Uncapitalize<Name> {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}` as Uncapitalize<Name>;
}

async function refuse(): Promise<never> {
  throw new Error('the reader cannot write');
}

function readingModel(model: Record<string, Method>): Record<string, Method> {
  const methods = Object.entries(model).map(([name, method]) => {
    if (!READS.test(name)) return [name, refuse];
    return [name, name.startsWith('findUnique') ? cutLookup(method) : method];
  });
  return Object.fromEntries(methods);
}

function cutLookup(lookup: Method): Method {
  let count = 0;
  let turn: Promise<void> | null = null;
  const open = () => {
    turn ??= setImmediate().then(() => {
      turn = null;
      count = 0;
    });
    return turn;
  };
  const look: Method = (args) => {
    if (count === 0) void open();
    if (count >= LOOKUPS_PER_TURN) return open().then(() => look(args));
    count += 1;
    return lookup(args);
  };
  return look;
}
