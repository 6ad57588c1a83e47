import { Prisma, type User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { type CommandRecord, commandRecord } from '../commands/record.js';
import { accessGuild } from '../guilds/access.js';
import { LIVE, type WebhookRecord, WITH_CREATOR } from '../webhooks/record.js';
import { GUILD_ACTIONS, type GuildLogAction, targetOf } from './actions.js';
import { type GuildLogEntry, isGuildLogEntry } from './guild-log.js';
import type { AuditPage } from './list.js';

export interface GuildLogQuery extends AuditPage {
  guildId: bigint;
  /** Only what this one did. */
  actorId?: bigint | undefined;
  /** Only these; all that the log shows when not given. */
  actions?: readonly GuildLogAction[] | undefined;
}

/** A page of a guild's audit log. */
export interface GuildLogPage {
  entries: GuildLogEntry[];
  /** Who acted, and who it was done to. */
  users: User[];
  /** The commands that entries are about, as far as they exist. */
  commands: CommandRecord[];
  /** The same of webhooks. */
  webhooks: WebhookRecord[];
}

/**
 * Entries of a guild's audit log, in ascending id order, or descending for a page that is counted from the newest. Needs ViewAuditLog.
 * @throws what `accessGuild` throws
 */
export async function listGuildLog(call: CallContext, query: GuildLogQuery): Promise<GuildLogEntry[]> {
  await accessGuild(call, query.guildId, 'viewAuditLog');
  const { backwards, take, actions = GUILD_ACTIONS } = query;
  if (actions.length === 0) return [];
  const order = Prisma.raw(backwards ? 'DESC' : 'ASC');
  const parts = actions.map((action) => newestOf(action, query, order));
  const rows = await call.read.$queryRaw<{ id: string }[]>`
    SELECT CAST("id" AS TEXT) AS "id" FROM (${Prisma.join(parts, ' UNION ALL ')}) AS entries
    ORDER BY entries."id" ${order} LIMIT ${take}`;
  const entries = await call.read.auditEntry.findMany({
    where: { id: { in: rows.map(({ id }) => BigInt(id)) } },
    orderBy: { id: backwards ? 'desc' : 'asc' },
  });
  return entries.filter(isGuildLogEntry);
}

/** One action's part of a page, from an index: whatever else is in the log, no more entries are looked at than a page has. */
function newestOf(
  action: string,
  { guildId, actorId, after, before, take }: GuildLogQuery,
  order: Prisma.Sql,
): Prisma.Sql {
  const conditions = [
    Prisma.sql`"guildId" = ${guildId}`,
    Prisma.sql`"action" = ${action}`,
    ...(actorId === undefined ? [] : [Prisma.sql`"actorId" = ${actorId}`]),
    ...(after === undefined ? [] : [Prisma.sql`"id" > ${after}`]),
    ...(before === undefined ? [] : [Prisma.sql`"id" < ${before}`]),
  ];
  return Prisma.sql`SELECT * FROM (
    SELECT "id" FROM "AuditEntry" WHERE ${Prisma.join(conditions, ' AND ')} ORDER BY "id" ${order} LIMIT ${take}
  ) AS part`;
}

/**
 * A page of a guild's audit log with those whom and what its entries name. Needs ViewAuditLog.
 * @throws what `accessGuild` throws
 */
export async function getGuildLog(call: CallContext, query: GuildLogQuery): Promise<GuildLogPage> {
  const entries = await listGuildLog(call, query);
  const targets = (of: ReturnType<typeof targetOf>) =>
    entries.filter(({ action }) => targetOf(action) === of).flatMap(({ targetId }) => targetId ?? []);
  const userIds = new Set([...entries.flatMap(({ actorId }) => actorId ?? []), ...targets('user')]);
  const commandIds = new Set(targets('command'));
  const webhookIds = new Set(targets('webhook'));
  const [users, commands, webhooks] = await Promise.all([
    userIds.size === 0 ? [] : call.read.user.findMany({ where: { id: { in: [...userIds] } }, orderBy: { id: 'asc' } }),
    commandIds.size === 0 ? [] : call.read.applicationCommand.findMany({ where: { id: { in: [...commandIds] } } }),
    webhookIds.size === 0
      ? []
      : call.read.webhook.findMany({ where: { id: { in: [...webhookIds] }, ...LIVE }, include: WITH_CREATOR }),
  ]);
  return { entries, users, commands: commands.map(commandRecord), webhooks };
}
