import type { CallContext, Write } from '../call.js';
import { endMembership } from '../members/remove.js';

/**
 * Ends the memberships of people who came for a visit and got no role meanwhile: their last connection has ended. The transaction has to be
 * serializable: who connects again at the same time keeps the membership, or comes after it has ended.
 */
export async function endVisits(call: CallContext, write: Write, userIds: bigint[]): Promise<void> {
  if (userIds.length === 0) return;
  const isVisit = { temporary: true, roles: { none: {} } };
  const visits = await write.db.member.findMany({
    where: { userId: { in: userIds }, ...isVisit },
    select: { guildId: true, user: true },
  });
  for (const { guildId, user } of visits) await endMembership(call, write, guildId, user);
}
