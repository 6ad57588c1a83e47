import { isMissingReference, isMissingRow, isUniqueConflict } from '../../infra/database/faults.js';
import type { Guild, Invite } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { findInvite, stillWorking } from '../invites/find.js';
import { becomeMember } from '../members/become.js';

/**
 * Does nothing if the caller is a member already.
 * @throws UNAUTHENTICATED, BANNED, UNKNOWN_INVITE also for an expired invite
 */
export async function joinGuild(call: CallContext, code: string): Promise<Guild> {
  const { user } = requirePerson(call);
  const invite = await findInvite(call.read, call.clock.now(), code);
  if (!invite) throw new DomainError('UNKNOWN_INVITE');
  if (await call.guilds.member(invite.guildId, user.id)) return invite.guild;
  try {
    await addMember(call, invite, user.id);
  } catch (error) {
    if (isMissingReference(error) || isMissingRow(error)) throw new DomainError('UNKNOWN_INVITE');
    if (!isUniqueConflict(error)) throw error;
  }
  return invite.guild;
}

async function addMember(call: CallContext, invite: Invite, userId: bigint): Promise<void> {
  await call.write(
    async (write) => {
      const { guildId, temporary } = invite;
      await becomeMember(call, write, { guildId, userId, temporary });
      await useInvite(call, write, invite);
    },
    { streams: [topics.guild(invite.guildId), topics.user(userId)] },
  );
}

/** The last use deletes the invite. Concurrent calls cannot exceed the maximum. @throws UNKNOWN_INVITE */
async function useInvite(call: CallContext, { db, record }: Write, invite: Invite): Promise<void> {
  const { code, maxUses } = invite;
  const { count } = await db.invite.updateMany({
    where: { code, ...stillWorking(call.clock.now()), ...(maxUses > 0 && { uses: { lt: maxUses } }) },
    data: { uses: { increment: 1 } },
  });
  if (count === 0) throw new DomainError('UNKNOWN_INVITE');
  if (maxUses === 0) return;
  const usedUp = await db.invite.deleteMany({ where: { code, uses: { gte: maxUses } } });
  if (usedUp.count > 0) record({ type: 'INVITE_DELETE', invite });
}
