import type { Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { accessGuild } from '../guilds/access.js';
import { limits } from '../limits.js';
import { accessSeenChannel, accessWebhookChannel, webhooksShownTo } from './access.js';
import { type WebhookRecord, WITH_CREATOR } from './record.js';

/**
 * The webhooks of a server, oldest first: for a bot those of its application, for people with ManageGuild those of all applications.
 * @throws what `accessGuild` throws
 */
export async function listGuildWebhooks(call: CallContext, guildId: bigint): Promise<WebhookRecord[]> {
  await accessGuild(call, guildId, call.actor.kind === 'bot' ? 'viewGuild' : 'manageWebhooks');
  return list(call, { guildId });
}

/** The same of one of its channels, which the caller sees. @throws what `accessSeenChannel` and `accessWebhookChannel` throw */
export async function listChannelWebhooks(call: CallContext, channelId: bigint): Promise<WebhookRecord[]> {
  await (call.actor.kind === 'bot' ? accessSeenChannel(call, channelId) : accessWebhookChannel(call, channelId));
  return list(call, { channelId });
}

function list(call: CallContext, where: Prisma.WebhookWhereInput): Promise<WebhookRecord[]> {
  return call.read.webhook.findMany({
    where: { ...where, ...webhooksShownTo(call) },
    include: WITH_CREATOR,
    orderBy: { id: 'asc' },
    take: limits.webhooksListed,
  });
}
