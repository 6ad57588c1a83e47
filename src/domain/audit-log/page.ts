import { type AuditEntry, Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';

/** A team's log includes its applications. */
export type LogOwner = { teamId: bigint } | { applicationId: bigint } | { guildId: bigint };

export interface AuditPage {
  take: number;
  /** Starts at the newest entry. */
  backwards: boolean;
  /** Exclusive bounds, as ids. */
  after?: bigint | undefined;
  before?: bigint | undefined;
}

export interface AuditFilter<Action extends string> {
  /** Null or absent for all actions; empty for none. */
  actions?: readonly Action[] | null | undefined;
  actorId?: bigint | null | undefined;
}

/** Ascending by id, or descending if `backwards`. Does not check access. */
export async function readEntries<Action extends string>(
  call: CallContext,
  owner: LogOwner,
  query: AuditPage & AuditFilter<Action> & { actions: readonly Action[] },
): Promise<AuditEntry[]> {
  const { actions, backwards, take } = query;
  if (actions.length === 0) return [];
  const order = Prisma.raw(backwards ? 'DESC' : 'ASC');
  const parts = [...new Set(actions)].map((action) => entriesOf(action, owner, query, order));
  const rows = await call.read.$queryRaw<{ id: string }[]>`
    SELECT CAST("id" AS TEXT) AS "id" FROM (${Prisma.join(parts, ' UNION ALL ')}) AS entries
    ORDER BY entries."id" ${order} LIMIT ${take}`;
  return call.read.auditEntry.findMany({
    where: { id: { in: rows.map(({ id }) => BigInt(id)) } },
    orderBy: { id: backwards ? 'desc' : 'asc' },
  });
}

/** Walks an index for one action, so that it reads no more entries than the page has. */
function entriesOf(
  action: string,
  owner: LogOwner,
  { actorId, after, before, take }: AuditPage & AuditFilter<string>,
  order: Prisma.Sql,
): Prisma.Sql {
  const conditions = [
    isOf(owner),
    Prisma.sql`"action" = ${action}`,
    ...(typeof actorId === 'bigint' ? [Prisma.sql`"actorId" = ${actorId}`] : []),
    ...(after === undefined ? [] : [Prisma.sql`"id" > ${after}`]),
    ...(before === undefined ? [] : [Prisma.sql`"id" < ${before}`]),
  ];
  return Prisma.sql`SELECT * FROM (
    SELECT "id" FROM "AuditEntry" WHERE ${Prisma.join(conditions, ' AND ')} ORDER BY "id" ${order} LIMIT ${take}
  ) AS part`;
}

function isOf(owner: LogOwner): Prisma.Sql {
  if ('guildId' in owner) return Prisma.sql`"guildId" = ${owner.guildId}`;
  return 'teamId' in owner
    ? Prisma.sql`"teamId" = ${owner.teamId}`
    : Prisma.sql`"applicationId" = ${owner.applicationId}`;
}
