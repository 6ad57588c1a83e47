import { type CallContext, requireUser } from '../call.js';
import { asOf, eventChannel, memberIn, requireText } from '../channels/access.js';
import { accessChannel } from '../guilds/access.js';

/** Stores nothing. @throws WRONG_CHANNEL_TYPE and the errors of `accessChannel` */
export async function startTyping(call: CallContext, input: { channelId: bigint }): Promise<void> {
  const { user } = requireUser(call);
  const place = await accessChannel(call, input.channelId, 'startTyping');
  requireText(place);
  const startedAt = call.clock.now();
  call.announce({
    type: 'TYPING_START',
    ...eventChannel(place),
    user,
    member: memberIn(place),
    ...asOf(place),
    startedAt,
  });
}
