import { Prisma, type Reader } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids/ids.js';

export interface InstancePage {
  take: number;
  /** Starts at the newest. */
  backwards: boolean;
  /** Exclusive bounds, as ids. */
  after?: bigint | undefined;
  before?: bigint | undefined;
}

interface Listed {
  /** A table or a query with a column `id`. */
  from: Prisma.Sql;
  /** All must hold. */
  conditions: readonly Prisma.Sql[];
}

/** Ids of a page, in its direction. Prisma searches in different ways on the two databases. */
export async function idsOfPage(
  read: Reader,
  { from, conditions }: Listed,
  { after, before, backwards, take }: InstancePage,
): Promise<bigint[]> {
  const all = [
    ...conditions,
    ...(after === undefined ? [] : [Prisma.sql`"id" > ${after}`]),
    ...(before === undefined ? [] : [Prisma.sql`"id" < ${before}`]),
  ];
  const where = all.length === 0 ? Prisma.empty : Prisma.sql`WHERE ${Prisma.join(all, ' AND ')}`;
  const order = Prisma.raw(orderOf({ backwards }));
  const rows = await read.$queryRaw<{ id: string }[]>`
    SELECT CAST("id" AS TEXT) AS "id" FROM ${from} AS listed ${where} ORDER BY listed."id" ${order} LIMIT ${take}`;
  return rows.map(({ id }) => BigInt(id));
}

/** Ignores the case of ASCII letters. Empty without a search. */
export function searched(search: string | undefined, columns: readonly string[]): Prisma.Sql[] {
  if (search === undefined) return [];
  const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const id = parseSnowflake(search);
  const found = columns.map((column) => Prisma.sql`LOWER(${Prisma.raw(`"${column}"`)}) LIKE ${pattern} ESCAPE '\\'`);
  return [Prisma.sql`(${Prisma.join(id === undefined ? found : [...found, Prisma.sql`"id" = ${id}`], ' OR ')})`];
}

/** Empty unless it matters. */
export function suspended(isSuspended: boolean | undefined): Prisma.Sql[] {
  if (isSuspended === undefined) return [];
  return [isSuspended ? Prisma.sql`"suspendedAt" IS NOT NULL` : Prisma.sql`"suspendedAt" IS NULL`];
}

/** Of the ids of a page. */
export function orderOf({ backwards }: Pick<InstancePage, 'backwards'>): 'asc' | 'desc' {
  return backwards ? 'desc' : 'asc';
}
