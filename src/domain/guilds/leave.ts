import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { endMembership } from '../members/remove.js';
import { accessGuild } from './access.js';

/**
 * Ends the caller's membership. A bot that leaves takes its installation along.
 * @throws UNAUTHENTICATED, UNKNOWN_GUILD, MISSING_ACCESS, and FORBIDDEN for the guild's owner
 */
export async function leaveGuild(call: CallContext, guildId: bigint): Promise<void> {
  const caller = requireUser(call);
  const { view } = await accessGuild(call, guildId, 'leaveGuild');
  if (view.ownerId === caller.user.id) {
    throw new DomainError('FORBIDDEN', 'The owner of a server cannot leave it.');
  }
  const { user } = caller;
  await call.write((write) => endMembership(call, write, guildId, user), { serializable: user.bot });
}
