import type { CallContext, Write } from '../call.js';
import { endMembership } from '../members/remove.js';

/**
 * Temporary memberships without roles end with the user's last connection. Needs a serializable transaction, to
 * conflict with a concurrent connect.
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
