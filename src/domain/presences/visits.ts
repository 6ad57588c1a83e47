import type { Write } from '../call.js';
import { endVoice } from '../voice/leave.js';

/**
 * Ends the memberships of people who came for a visit and got no role meanwhile: their last connection has ended. The transaction has to be
 * serializable: who connects again at the same time keeps the membership, or comes after it has ended.
 */
export async function endVisits(write: Write, userIds: bigint[]): Promise<void> {
  if (userIds.length === 0) return;
  const { db, record } = write;
  const isVisit = { temporary: true, roles: { none: {} } };
  const visits = await db.member.findMany({ where: { userId: { in: userIds }, ...isVisit }, include: { user: true } });
  for (const { guildId, userId, user } of visits) {
    await db.member.deleteMany({ where: { guildId, userId } });
    await endVoice(write, { guildId, userId });
    record({ type: 'GUILD_MEMBER_REMOVE', guildId, user });
  }
}
