import type { Channel } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { withLastMessages } from '../channels/last-messages.js';

/** A channel, and the newest message that everybody in it sees. */
export interface ChannelWithNewest {
  channel: Channel;
  lastMessageId: bigint | null;
}

/** Channels of a guild by their ids, from memory where they are known; their newest messages with one statement. */
export async function loadChannels(
  call: CallContext,
  guildId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, ChannelWithNewest>> {
  const channels = await Promise.all(ids.map((id) => call.guilds.channel(guildId, id)));
  const shown = await withLastMessages(
    call.read,
    channels.filter((channel) => channel !== null),
  );
  return new Map(shown.map((one) => [one.channel.id, one]));
}
