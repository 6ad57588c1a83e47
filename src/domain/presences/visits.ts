import type { Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { endMembership } from '../members/remove.js';

const IS_VISIT = { temporary: true, roles: { none: {} } } satisfies Prisma.MemberWhereInput;

/**
 * Ends temporary memberships without roles, each in a transaction of its own. Call this before the user's last connection
 * is removed, so that a later call finishes what a crash interrupts.
 * @param ending ids of connections that do not count
 */
export async function endVisits(
  call: CallContext,
  userIds: readonly bigint[],
  ending: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return;
  const where = { userId: { in: [...userIds] }, ...IS_VISIT };
  const visits = await call.read.member.findMany({ where, select: { guildId: true, userId: true } });
  for (const { guildId, userId } of visits) {
    const end = async (write: Write) => {
      if (await isConnected(call, write, userId, ending)) return;
      const member = await write.db.member.findFirst({
        where: { guildId, userId, ...IS_VISIT },
        select: { user: true },
      });
      if (member) await endMembership(call, write, guildId, member.user);
    };
    await call.write(end, { streams: [topics.guild(guildId), topics.user(userId)] });
  }
}

async function isConnected(
  { live }: CallContext,
  { db }: Write,
  userId: bigint,
  ending: readonly string[],
): Promise<boolean> {
  const others = { userId, sessionId: { notIn: [...ending] }, process: { until: { gt: live.now() } } };
  return (await db.presence.count({ where: others })) > 0;
}
