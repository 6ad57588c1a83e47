import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { leaveBoxGuild } from '../installations/box-changes.js';
import { endMembership, streamsOfMembership } from '../members/remove.js';
import { accessGuild } from './access.js';
import { mayAsMember } from './ownership.js';

/**
 * A bot that leaves also loses its installation.
 * @throws UNAUTHENTICATED, UNKNOWN_GUILD, MISSING_ACCESS, FORBIDDEN for the guild's owner, GuildUnavailable
 */
export async function leaveGuild(call: CallContext, guildId: bigint): Promise<void> {
  const caller = requireUser(call);
  const route = caller.kind === 'bot' ? await call.boxRoutes.ofGuild(guildId) : null;
  if (route) return leaveBoxGuild(call, route.boxId, guildId, caller.user.id);
  const { view } = await accessGuild(call, guildId, 'leaveGuild');
  if (!mayAsMember('leave', view, caller.user.id)) {
    throw new DomainError('FORBIDDEN', 'The owner of a server cannot leave it.');
  }
  const { user } = caller;
  const streams = await streamsOfMembership(call, guildId, user.id);
  await call.write((write) => endMembership(call, write, guildId, user), { streams });
}
