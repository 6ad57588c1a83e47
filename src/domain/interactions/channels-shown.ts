import { type Channel, Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { loadLastMessageIds } from '../channels/last-messages.js';

/** A channel, and the newest message that everybody in it sees. */
export interface ChannelWithNewest {
  channel: Channel;
  lastMessageId: bigint | null;
}

/** Channels of a guild by their ids, in two queries at the most whatever their number. */
export async function loadChannels(
  call: CallContext,
  guildId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, ChannelWithNewest>> {
  const [channels, lastMessageIds] = await Promise.all([
    Promise.all(ids.map((id) => call.guilds.channel(guildId, id))),
    loadLastMessageIds(call.read, Prisma.sql`c."id" IN (${Prisma.join([...ids])})`),
  ]);
  const found = channels.filter((channel) => channel !== null);
  return new Map(
    found.map((channel) => [channel.id, { channel, lastMessageId: lastMessageIds.get(channel.id) ?? null }]),
  );
}
