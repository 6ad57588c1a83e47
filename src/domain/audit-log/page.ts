import { type AuditEntry, Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';

/** Whose log: what was done with a team and the applications it owns, with one application, or in a guild. */
export type LogOwner = { teamId: bigint } | { applicationId: bigint } | { guildId: bigint };

export interface AuditPage {
  take: number;
  /** Counted from the newest entry. */
  backwards: boolean;
  /** The ids of the entries the page lies between. */
  after?: bigint | undefined;
  before?: bigint | undefined;
}

/** What of a log is wanted. */
export interface AuditFilter<Action extends string> {
  /** Only these; all that the log shows when not given, none when empty. */
  actions?: readonly Action[] | null | undefined;
  /** Only what this one did. */
  actorId?: bigint | null | undefined;
}

/** Such entries of a log in ascending id order, or descending for a page that is counted from the newest; whoever asks. */
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

/** One action's part of a page, from an index: whatever else is in the log, no more entries are looked at than a page has. */
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
