import type { User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { greetWithin } from '../built-in-commands/greetings/greet.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { removeFromGuild } from '../installations/uninstall.js';
import { requireAbove } from '../roles/rank.js';
import { endVoice } from '../voice/leave.js';
import { deleteMember } from './rows.js';

/** The streams of {@link endMembership}. */
export async function streamsOfMembership(
  { read }: Pick<CallContext, 'read'>,
  guildId: bigint,
  userId: bigint,
): Promise<string[]> {
  const user = await read.user.findUnique({ where: { id: userId }, select: { bot: true } });
  return [topics.guild(guildId), topics.user(userId), ...(user?.bot ? [topics.application(userId)] : [])];
}

/** For a bot, also removes the installation. */
export async function endMembership(call: CallContext, write: Write, guildId: bigint, user: User): Promise<void> {
  if (user.bot) {
    await removeFromGuild(call, write, user.id, guildId);
    return;
  }
  if (!(await deleteMember(write.db, { guildId, userId: user.id }, call.clock.now()))) return;
  await endVoice(write, { guildId, userId: user.id });
  write.record({ type: 'GUILD_MEMBER_REMOVE', guildId, user });
  write.record({ type: 'PORTAL_HOME_UPDATED', userId: user.id });
  await greetWithin(call, write, { guildId, user, kind: 'GOODBYE' });
}

/**
 * The member must rank below the caller.
 * @throws UNKNOWN_MEMBER, MISSING_PERMISSIONS and the errors of `accessGuild`
 */
export async function kickMember(call: CallContext, input: { guildId: bigint; userId: bigint }): Promise<void> {
  const { guildId, userId } = input;
  requireUser(call);
  const { view } = await accessGuild(call, guildId, 'kickMember');
  const streams = await streamsOfMembership(call, guildId, userId);
  await call.write(
    async (write) => {
      const where = { guildId_userId: input };
      const member = await write.db.member.findUnique({ where, select: { user: true } });
      if (!member) throw new DomainError('UNKNOWN_MEMBER');
      await requireAbove(call, write.db, view, userId);
      await endMembership(call, write, guildId, member.user);
      await write.audit({ action: 'MEMBER_KICK', guildId, targetId: userId });
    },
    { streams },
  );
}
