import { isMissingReference, isMissingRow, isUniqueConflict } from '../../infra/database/faults.js';
import type { Guild, Invite } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';
import { WITH_USER_AND_ROLES } from '../events.js';
import { isInviteCode } from '../invites/code.js';

/**
 * Makes the caller a member of the guild an invite leads to. Somebody who is one already stays one.
 * @throws UNAUTHENTICATED, UNKNOWN_INVITE
 */
export async function joinGuild(call: CallContext, code: string): Promise<Guild> {
  const { user } = requirePerson(call);
  if (!isInviteCode(code)) throw unknownInvite();
  const invite = await call.read.invite.findUnique({ where: { code }, include: { guild: true } });
  if (!invite) throw unknownInvite();
  if (await call.guilds.member(invite.guildId, user.id)) return invite.guild;
  try {
    await addMember(call, invite, user.id);
  } catch (error) {
    if (isMissingRow(error) || isMissingReference(error)) throw unknownInvite();
    if (!isUniqueConflict(error)) throw error;
  }
  return invite.guild;
}

async function addMember(call: CallContext, { code, guildId }: Invite, userId: bigint): Promise<void> {
  await call.write(async ({ db, record }) => {
    const member = await db.member.create({
      data: { guildId, userId, joinedAt: new Date(call.clock.now()) },
      include: WITH_USER_AND_ROLES,
    });
    await db.invite.update({ where: { code }, data: { uses: { increment: 1 } } });
    record({ type: 'GUILD_MEMBER_ADD', member });
  });
}

function unknownInvite(): DomainError {
  return new DomainError('UNKNOWN_INVITE', 'Unknown Invite');
}
