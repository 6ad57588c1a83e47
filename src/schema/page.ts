import { z } from 'zod';
import { invalidInput } from '../domain/errors.js';
import { builder } from './builder.js';
import { parseOptionalId } from './ids.js';

const DEFAULT_PAGE = 50;
export const MAX_PAGE = 100;

const pageSize = z
  .number()
  .int()
  .min(1, { error: `Must be between 1 and ${MAX_PAGE}.` })
  .max(MAX_PAGE, { error: `Must be between 1 and ${MAX_PAGE}.` });

/** A cursor is the entry's snowflake. */
export const pageArgs = builder.args((t) => ({
  first: t.int({
    validate: pageSize,
    description: `Page size, counted from the start, 1–${MAX_PAGE}. Default: ${DEFAULT_PAGE}.`,
  }),
  after: t.string({ description: 'Returns only entries after this cursor.' }),
  last: t.int({
    validate: pageSize,
    description: `Page size, counted from the end, 1–${MAX_PAGE}. Cannot be combined with \`first\`.`,
  }),
  before: t.string({
    description: 'Returns only entries before this cursor. Without other arguments, the page ends right before it.',
  }),
}));

export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

/** In ascending id order. */
export interface Page {
  take: number;
  /** Counted from the end of the list. */
  backwards: boolean;
  after: bigint | undefined;
  before: bigint | undefined;
}

/** For the query cost. */
export function pageSizeOf({ first, last }: PageArgs): number {
  return Math.min(Math.max(first ?? last ?? DEFAULT_PAGE, 1), MAX_PAGE);
}

/** @throws INVALID_INPUT for `first` together with `last`, or an invalid cursor */
export function parsePage(args: PageArgs): Page {
  const { first, last } = args;
  const isGiven = (value: number | null | undefined) => value !== null && value !== undefined;
  if (isGiven(first) && isGiven(last)) {
    throw invalidInput({
      path: 'last',
      code: 'BASE_TYPE_INVALID',
      message: 'Set `first` or `last`, not both.',
    });
  }
  const after = parseOptionalId(args.after, 'after');
  const before = parseOptionalId(args.before, 'before');
  const backwards = isGiven(last) || (!isGiven(first) && before !== undefined && after === undefined);
  return { take: pageSizeOf(args), backwards, after, before };
}

export function withinPage({ after, before }: Page): { gt?: bigint; lt?: bigint } {
  return { ...(after === undefined ? {} : { gt: after }), ...(before === undefined ? {} : { lt: before }) };
}

/** In the page's direction. */
export interface PageRows<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** @param read one row more than the page takes, if there are more */
export function pageRows<Row>({ take }: Page, read: Row[]): PageRows<Row> {
  return { rows: read.slice(0, take), hasMore: read.length > take };
}

export function connectionOf<Row>(page: Page, { rows, hasMore }: PageRows<Row>, idOf: (row: Row) => bigint) {
  const nodes = page.backwards ? rows.toReversed() : rows;
  const edges = nodes.map((node) => ({ cursor: String(idOf(node)), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.backwards ? page.before !== undefined : hasMore,
      hasPreviousPage: page.backwards ? hasMore : page.after !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
