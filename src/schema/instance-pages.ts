import { z } from 'zod';
import { maybe, snowflake, textUpTo, trimmedText } from '../domain/input.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import type { OperationBudget } from './budget.js';
import { builder } from './builder.js';
import { connectionOf, type Page, type PageArgs, pageRows, parsePage } from './page.js';

export const searchArgs = builder.args((t) => ({
  search: t.string({ description: 'Returns only entries whose name contains this, or the one with this ID.' }),
}));

export const suspendedArgs = builder.args((t) => ({
  suspended: t.boolean({ description: 'Returns only suspended ones, or only those that are not.' }),
}));

export const ownerArgs = builder.args((t) => ({
  ownerId: t.id({ description: 'Returns only what the person with this ID owns.' }),
}));

/** Empty counts as absent. */
const Search = maybe(textUpTo(100)).transform((search) => search || undefined);

const Filter = z.object({ search: Search, suspended: maybe(z.boolean()), ownerId: maybe(snowflake()) });

interface FilterArgs extends PageArgs {
  search?: string | null | undefined;
  suspended?: boolean | null | undefined;
  ownerId?: string | null | undefined;
}

interface Query extends Page {
  search: string | undefined;
  isSuspended: boolean | undefined;
  ownerId: bigint | undefined;
}

/** A page of everything on the instance. The list checks access. */
export async function instancePage<Row>(
  budget: OperationBudget,
  args: FilterArgs,
  list: (query: Query) => Promise<Row[]>,
  idOf: (row: Row) => bigint,
) {
  const page = parsePage(args);
  const { suspended: isSuspended, search, ownerId } = parseInput(Filter, args);
  const query = { ...page, search, isSuspended, ownerId };
  const read = await budget.read(page.take + 1, (take) => list({ ...query, take }));
  return connectionOf(page, pageRows(page, read), idOf);
}

export const REASON = `Why, for the audit log of the instance. 1–${limits.auditReason} characters.`;
export const TEXT = 'Text for the suspended person or the developers. At most 512 characters.';

const Reason = trimmedText(1, limits.auditReason);
const Text = maybe(textUpTo(512)).transform((text) => text ?? '');

/** @throws INVALID_INPUT */
export function reasonOf({ reason }: { reason: string }): string {
  return parseInput(Reason, reason, 'reason');
}

/** @throws INVALID_INPUT */
export function textOf({ text }: { text?: string | null | undefined }): string {
  return parseInput(Text, text, 'text');
}
