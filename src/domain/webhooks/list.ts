import type { Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { accessGuild } from '../guilds/access.js';
import { limits } from '../limits.js';
import { accessWebhookChannel } from './access.js';
import { LIVE, type WebhookRecord, WITH_CREATOR } from './record.js';

/** The webhooks of a server, whichever application they are of, oldest first. Needs ManageGuild. @throws what `accessGuild` throws */
export async function listGuildWebhooks(call: CallContext, guildId: bigint): Promise<WebhookRecord[]> {
  await accessGuild(call, guildId, 'manageWebhooks');
  return listLive(call, { guildId });
}

/** The same of one of its channels. @throws what `accessWebhookChannel` throws */
export async function listChannelWebhooks(call: CallContext, channelId: bigint): Promise<WebhookRecord[]> {
  await accessWebhookChannel(call, channelId);
  return listLive(call, { channelId });
}

function listLive(call: CallContext, where: Prisma.WebhookWhereInput): Promise<WebhookRecord[]> {
  return call.read.webhook.findMany({
    where: { ...where, ...LIVE },
    include: WITH_CREATOR,
    orderBy: { id: 'asc' },
    take: limits.webhooksListed,
  });
}
