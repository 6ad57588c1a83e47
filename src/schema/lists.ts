import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { inPieces } from '../infra/turns.js';
import type { OperationBudget } from './budget.js';
import { builder, LIST_LENGTH } from './builder.js';
import type { GraphqlContext } from './context.js';
import { parseOptionalId } from './ids.js';
import { createLoader, KEYS_AT_ONCE, type Loader } from './loaders.js';

/** How many entries of a list without a bound of its own are shown at once. */
export const MAX_LIST = 200;

const listLength = z
  .number()
  .int()
  .min(1, { error: `A list has 1 to ${MAX_LIST} entries.` })
  .max(MAX_LIST, { error: `A list has 1 to ${MAX_LIST} entries.` });

/** The arguments of every list that may be longer than what is shown of it. */
export const listArgs = builder.args((t) => ({
  first: t.int({ validate: listLength, description: `How many, at most ${MAX_LIST}, which is also the default.` }),
  after: t.id({ description: 'Only those that follow the one with this id.' }),
}));

export interface ListArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
}

/** Which entries of a list. */
export interface ListPart {
  most: number;
  after: bigint | undefined;
}

/** @throws INVALID_INPUT for an id that is none */
export function parseList({ first, after }: ListArgs): ListPart {
  return { most: first ?? MAX_LIST, after: parseOptionalId(after, 'after') };
}

/** For the cost of a query: what was asked for, or a usual length. */
export function listCost({ first }: ListArgs): { field: number; multiplier: number } {
  return { field: 1, multiplier: Math.min(Math.max(first ?? LIST_LENGTH, 1), MAX_LIST) };
}

export interface ChildList<Row> {
  /** How many entries each parent's list has at most. */
  most: number;
  /** Reads the children of these parents, `take` of them at most, each parent's in the order of its list. */
  read(parentIds: bigint[], take: number): Promise<Row[]>;
  parentOf(row: Row): bigint | null;
}

/**
 * The lists of a field in each of many parents, by the parents' ids: one read however many parents there are, unless their
 * lists are longer than what is shown of them. (Lists that Prisma reads along with their parents have no bound together.)
 */
export function childLists<Row>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  list: ChildList<Row>,
): Loader<bigint, Row[]> {
  return context.loaders.get(`list ${fieldKey(info)}`, () =>
    createLoader((parentIds: bigint[]) => readLists(context.budget, parentIds, list), []),
  );
}

async function readLists<Row>(
  budget: OperationBudget,
  parentIds: bigint[],
  { most, read, parentOf }: ChildList<Row>,
): Promise<Map<bigint, Row[]>> {
  if (parentIds.length > 1) {
    const room = parentIds.length * most;
    const together = await budget.read(room + 1, (take) => read(parentIds, take));
    if (together.length <= room) return grouped(together, most, parentOf);
  }
  const lists = new Map<bigint, Row[]>();
  for (const id of parentIds) lists.set(id, await budget.read(most, (take) => read([id], take)));
  return lists;
}

/** Rows by their parents, `most` of each at most. */
export function grouped<Row>(rows: Row[], most: number, parentOf: (row: Row) => bigint | null): Map<bigint, Row[]> {
  const lists = new Map<bigint, Row[]>();
  for (const row of rows) {
    const parent = parentOf(row);
    if (parent === null) continue;
    const list = lists.get(parent) ?? [];
    if (list.length < most) list.push(row);
    lists.set(parent, list);
  }
  return lists;
}

/**
 * The loader of rows that a field refers to by their ids.
 * @param read reads the rows with these ids
 * @param key the same for all fields that may be read together
 */
export function referredRows<Row extends { id: bigint }>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  read: (ids: bigint[]) => Promise<Row[]>,
  key = fieldKey(info),
): Loader<bigint, Row | null> {
  return context.loaders.get(`rows ${key}`, () =>
    createLoader<bigint, Row | null>(async (ids) => {
      const rows = await context.budget.read(ids.length, () => read(ids));
      return new Map(rows.map((row) => [row.id, row]));
    }, null),
  );
}

/** Rows in the order of `ids`, without those that are not there (any more), in pieces that the database takes. */
export async function readInPieces<Row extends { id: bigint }>(
  budget: OperationBudget,
  ids: bigint[],
  read: (ids: bigint[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found = new Map<bigint, Row>();
  for (const piece of inPieces(ids, KEYS_AT_ONCE)) {
    for (const row of await budget.read(piece.length, () => read(piece))) found.set(row.id, row);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** The same for all parents of one field of the operation: its path without the places in lists. */
export function fieldKey({ path }: GraphQLResolveInfo): string {
  const steps: string[] = [];
  for (let step: typeof path | undefined = path; step; step = step.prev) {
    if (typeof step.key === 'string') steps.push(step.key);
  }
  return steps.join('.');
}
