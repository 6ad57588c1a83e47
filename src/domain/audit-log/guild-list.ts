import { z } from 'zod';
import type { User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { type CommandRecord, commandRecord } from '../commands/record.js';
import { accessGuild } from '../guilds/access.js';
import { snowflake } from '../input.js';
import { webhooksShownTo } from '../webhooks/access.js';
import { type WebhookRecord, WITH_CREATOR } from '../webhooks/record.js';
import { GUILD_ACTIONS, type GuildLogAction, targetOf } from './actions.js';
import { type GuildLogEntry, isGuildLogEntry } from './guild-log.js';
import { type AuditFilter, type AuditPage, readEntries } from './page.js';

export interface GuildLogQuery extends AuditPage, AuditFilter<GuildLogAction> {
  guildId: bigint;
}

export const GuildLogFilter = z.object({
  actions: z.array(z.enum(GUILD_ACTIONS)).nullish(),
  actorId: snowflake().nullish(),
});

export interface GuildLogPage {
  entries: GuildLogEntry[];
  users: User[];
  commands: CommandRecord[];
  /** For a bot, only its application's. */
  webhooks: WebhookRecord[];
}

/** Ascending by id, or descending if `backwards`. Needs ViewAuditLog. @throws the errors of `accessGuild` */
export async function listGuildLog(call: CallContext, query: GuildLogQuery): Promise<GuildLogEntry[]> {
  const { guildId } = query;
  await accessGuild(call, guildId, 'viewAuditLog');
  const entries = await readEntries(call, { guildId }, { ...query, actions: query.actions ?? GUILD_ACTIONS });
  return entries.filter(isGuildLogEntry);
}

/** Adds the entries' users, commands and webhooks. Needs ViewAuditLog. @throws the errors of `accessGuild` */
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
      : call.read.webhook.findMany({
          where: { id: { in: [...webhookIds] }, ...webhooksShownTo(call) },
          include: WITH_CREATOR,
        }),
  ]);
  return { entries, users, commands: commands.map(commandRecord), webhooks };
}
