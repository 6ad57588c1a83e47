import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { chunksOf } from '../infra/concurrency/event-loop.js';
import type { OperationBudget } from './budget.js';
import { builder, LIST_LENGTH } from './builder.js';
import type { GraphqlContext } from './context.js';
import { parseOptionalId } from './ids.js';
import { createLoader, KEYS_AT_ONCE, type Loader } from './loaders.js';

/** Limit of a list that has no limit of its own. */
export const MAX_LIST = 200;

const listLength = z
  .number()
  .int()
  .min(1, { error: `Must be between 1 and ${MAX_LIST}.` })
  .max(MAX_LIST, { error: `Must be between 1 and ${MAX_LIST}.` });

export const listArgs = builder.args((t) => ({
  first: t.int({
    validate: listLength,
    description: `Maximum number of entries, 1–${MAX_LIST}. Default: ${MAX_LIST}.`,
  }),
  after: t.id({ description: 'Returns only entries after the one with this ID.' }),
}));

export interface ListArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
}

export interface ListPart {
  most: number;
  after: bigint | undefined;
}

/** @throws INVALID_INPUT for an invalid id */
export function parseList({ first, after }: ListArgs): ListPart {
  return { most: first ?? MAX_LIST, after: parseOptionalId(after, 'after') };
}

/** The requested length, or a typical one. */
export function listCost({ first }: ListArgs): { field: number; multiplier: number } {
  return { field: 1, multiplier: Math.min(Math.max(first ?? LIST_LENGTH, 1), MAX_LIST) };
}

export interface ChildList<Row> {
  /** Maximum entries per parent. */
  most: number;
  /** Each parent's children must be in list order. */
  read(parentIds: bigint[], take: number): Promise<Row[]>;
  parentOf(row: Row): bigint | null;
}

/**
 * Uses one query for all parents, unless a list exceeds its limit. Prisma cannot limit nested lists as a whole.
 * @param key the same for all lists that can be read together
 */
export function childLists<Row>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  list: ChildList<Row>,
  key = fieldKey(info),
): Loader<bigint, Row[]> {
  return context.loaders.get(`list ${key}`, () =>
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
 * Batches rows that a field refers to.
 * @param key the same for all fields that can be read together
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

/** In the order of `ids`. Skips missing rows. */
export async function readInPieces<Row extends { id: bigint }>(
  budget: OperationBudget,
  ids: bigint[],
  read: (ids: bigint[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found = new Map<bigint, Row>();
  for (const piece of chunksOf(ids, KEYS_AT_ONCE)) {
    for (const row of await budget.read(piece.length, () => read(piece))) found.set(row.id, row);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Path without list indexes, the same for all parents. */
export function fieldKey({ path }: GraphQLResolveInfo): string {
  const steps: string[] = [];
  for (let step: typeof path | undefined = path; step; step = step.prev) {
    if (typeof step.key === 'string') steps.push(step.key);
  }
  return steps.join('.');
}
