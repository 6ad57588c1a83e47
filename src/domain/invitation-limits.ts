import { type CallContext, requirePerson } from './call.js';
import { INVITATIONS_TO_A_PERSON } from './limits.js';
import { takeLimit } from './rate-limits.js';

/**
 * Invites somebody, who may get a mail each time, unless the caller did so too often. An invitation that is refused does not
 * count.
 * @throws RATE_LIMITED, and what `invite` throws
 */
export async function withinInvitationLimit<T>(
  call: CallContext,
  inviteeId: bigint,
  invite: () => Promise<T>,
): Promise<T> {
  const { user } = requirePerson(call);
  const key = `${user.id}:${inviteeId}`;
  await takeLimit(call, INVITATIONS_TO_A_PERSON, key, () => 'This person was invited too often; try again later.');
  try {
    return await invite();
  } catch (error) {
    await call.limits.giveBack(INVITATIONS_TO_A_PERSON, key);
    throw error;
  }
}
