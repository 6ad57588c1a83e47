import { type CallContext, requireUser } from '../call.js';
import { eventPlace, memberIn, requireText } from '../channels/place.js';
import { accessChannel } from '../guilds/access.js';

/**
 * Shows that the caller is writing in a channel. Stored nowhere.
 * @throws WRONG_CHANNEL_TYPE and what `accessChannel` throws
 */
export async function startTyping(call: CallContext, input: { channelId: bigint }): Promise<void> {
  const { user } = requireUser(call);
  const place = await accessChannel(call, input.channelId, 'startTyping');
  requireText(place);
  const startedAt = call.clock.now();
  call.announce({ type: 'TYPING_START', ...eventPlace(place), user, member: memberIn(place), startedAt });
}
