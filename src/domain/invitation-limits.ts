import type { User } from '../infra/database/index.js';
import { getPersonByEmail } from './accounts/people.js';
import { type CallContext, requirePerson } from './call.js';
import { INVITATIONS_PER_PERSON, UNKNOWN_EMAILS_PER_PERSON } from './limits.js';
import { takeLimit } from './rate-limits.js';

/** Refused invitations do not count. @throws RATE_LIMITED, and what `invite` throws */
export async function withinInvitationLimit<T>(
  call: CallContext,
  inviteeId: bigint,
  invite: () => Promise<T>,
): Promise<T> {
  const { user } = requirePerson(call);
  const key = `${user.id}:${inviteeId}`;
  await takeLimit(call, INVITATIONS_PER_PERSON, key, () => 'You invited this user too often. Try again later.');
  try {
    return await invite();
  } catch (error) {
    await call.limits.giveBack(INVITATIONS_PER_PERSON, key);
    throw error;
  }
}

/**
 * Counts unknown addresses against the caller, so that callers cannot probe for accounts.
 * @throws INVALID_INPUT at `email` if there is no account, RATE_LIMITED
 */
export async function findInviteeByEmail(call: CallContext, email: string): Promise<User> {
  const key = String(requirePerson(call).user.id);
  await takeLimit(call, UNKNOWN_EMAILS_PER_PERSON, key, (seconds) => {
    return `You entered too many email addresses without an account. Try again in ${seconds} s.`;
  });
  const invitee = await getPersonByEmail(call.read, email);
  await call.limits.giveBack(UNKNOWN_EMAILS_PER_PERSON, key);
  return invitee;
}
