import { type CallContext, requireUser } from '../call.js';
import { accessChannel } from '../guilds/access.js';
import { checkTextChannel } from './send.js';

/**
 * Shows that the caller is writing in a channel. Stored nowhere.
 * @throws WRONG_CHANNEL_TYPE and what `accessChannel` throws
 */
export async function startTyping(call: CallContext, input: { channelId: bigint }): Promise<void> {
  const { user } = requireUser(call);
  const channel = await accessChannel(call, input.channelId, 'startTyping');
  checkTextChannel(channel);
  const { guildId, channelId, member } = channel;
  call.announce({ type: 'TYPING_START', guildId, channelId, user, member, startedAt: call.clock.now() });
}
