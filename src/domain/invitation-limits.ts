import type { User } from '../infra/database/index.js';
import { getPersonByEmail } from './accounts/people.js';
import { type CallContext, requirePerson } from './call.js';
import { INVITATIONS_PER_PERSON, UNKNOWN_EMAILS_PER_PERSON } from './limits.js';
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
  await takeLimit(call, INVITATIONS_PER_PERSON, key, () => 'This person was invited too often; try again later.');
  try {
    return await invite();
  } catch (error) {
    await call.limits.giveBack(INVITATIONS_PER_PERSON, key);
    throw error;
  }
}

/**
 * The person whom an invitation by e-mail address is to. Addresses that nobody has an account with count for the caller, so that
 * the answers are no way to find out who has one.
 * @throws INVALID_INPUT at `email` for nobody, RATE_LIMITED
 */
export async function findInviteeByEmail(call: CallContext, email: string): Promise<User> {
  const key = String(requirePerson(call).user.id);
  await takeLimit(call, UNKNOWN_EMAILS_PER_PERSON, key, (seconds) => {
    return `Too many addresses that nobody has an account with; try again in ${seconds} s.`;
  });
  const invitee = await getPersonByEmail(call.read, email);
  await call.limits.giveBack(UNKNOWN_EMAILS_PER_PERSON, key);
  return invitee;
}
