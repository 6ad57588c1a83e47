import type { Channel } from '../../../infra/database/index.js';
import type { CallContext } from '../../call.js';
import { withLastMessages } from '../../channels/last-messages.js';

/** `lastMessageId` is the newest message that all viewers of the channel can see. */
export interface ChannelWithNewest {
  channel: Channel;
  lastMessageId: bigint | null;
}

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
