import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { greetWithin } from '../greetings/greet.js';
import { removeFromGuilds } from '../installations/uninstall.js';
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
  if (caller.kind === 'bot') {
    const remove = (write: Write) => removeFromGuilds(call, write, caller.applicationId, guildId);
    await call.write(remove, { serializable: true });
    return;
  }
  await call.write(async (write) => {
    const { count } = await write.db.member.deleteMany({ where: { guildId, userId: caller.user.id } });
    if (count === 0) return;
    write.record({ type: 'GUILD_MEMBER_REMOVE', guildId, user: caller.user });
    await greetWithin(call, write, { guildId, user: caller.user, kind: 'GOODBYE' });
  });
}
