import type { Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { accessGuild } from '../guilds/access.js';
import { limits } from '../limits.js';
import { accessSeenChannel, accessWebhookChannel, webhooksShownTo } from './access.js';
import { type WebhookRecord, WITH_CREATOR } from './record.js';

/**
 * Oldest first. A bot gets its application's webhooks. Users need ManageGuild and get all.
 * @throws the errors of `accessGuild`
 */
export async function listGuildWebhooks(call: CallContext, guildId: bigint): Promise<WebhookRecord[]> {
  await accessGuild(call, guildId, call.actor.kind === 'bot' ? 'viewGuild' : 'manageWebhooks');
  return list(call, { guildId });
}

/**
 * As {@link listGuildWebhooks}, for a visible channel.
 * @throws the errors of `accessSeenChannel` and `accessWebhookChannel`
 */
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
