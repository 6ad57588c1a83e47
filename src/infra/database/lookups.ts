import { setImmediate } from 'node:timers/promises';
import { Prisma, type PrismaClient } from './generated/sqlite/client.js';

/**
 * Prisma joins similar lookups of one event loop turn into one statement. SQLite accepts 999 parameters, and a lookup
 * may need three.
 */
const LOOKUPS_PER_TURN = 300;

type Lookup = (args: object) => Promise<unknown>;

/**
 * Splits the lookups (`findUnique`) of one event loop turn. Otherwise one caller's many lookups would make those of all
 * callers fail.
 */
export function cutLookups(client: PrismaClient): PrismaClient {
  for (const model of Object.values(Prisma.ModelName)) {
    const delegate = client[uncapitalized(model)] as unknown as Record<'findUnique' | 'findUniqueOrThrow', Lookup>;
    delegate.findUnique = cutLookup(delegate.findUnique);
    delegate.findUniqueOrThrow = cutLookup(delegate.findUniqueOrThrow);
  }
  return client;
}

function uncapitalized<Name extends string>(name: Name): Uncapitalize<Name> {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}` as Uncapitalize<Name>;
}

function cutLookup(lookup: Lookup): Lookup {
  let count = 0;
  let turn: Promise<void> | null = null;
  const open = () => {
    turn ??= setImmediate().then(() => {
      turn = null;
      count = 0;
    });
    return turn;
  };
  const look: Lookup = (args) => {
    if (count === 0) void open();
    if (count >= LOOKUPS_PER_TURN) return open().then(() => look(args));
    count += 1;
    return lookup(args);
  };
  return look;
}
