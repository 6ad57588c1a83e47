import type { Member, Prisma, Reader, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { endMembership } from '../members/remove.js';

const IS_VISIT = { temporary: true, roles: { none: {} } } satisfies Prisma.MemberWhereInput;

interface EndingConnection {
  id: string;
  userId: bigint;
}

/**
 * Removes connections in a transaction. Before their users' last connections, ends the temporary memberships without
 * roles. Each ends in a transaction of its own, so that a later call finishes what a crash interrupts.
 * @param streams with those of the connections' users
 */
export async function endingVisits<T>(
  call: CallContext,
  connections: readonly EndingConnection[],
  streams: readonly string[],
  remove: (write: Write) => Promise<T>,
): Promise<T> {
  for (;;) {
    for (const visit of await visitsOf(call.read, connections)) await endVisit(call, visit, connections);
    const done = await call.write(
      async (write) => {
        // Another connection may have ended since, or a visit begun.
        if (await hasLastOfVisitor(call, write, connections)) return null;
        return { result: await remove(write) };
      },
      { streams },
    );
    if (done) return done.result;
  }
}

type Visit = Pick<Member, 'guildId' | 'userId'>;

async function visitsOf(db: Reader | Transaction, connections: readonly EndingConnection[]): Promise<Visit[]> {
  if (connections.length === 0) return [];
  const where = { userId: { in: connections.map(({ userId }) => userId) }, ...IS_VISIT };
  return db.member.findMany({ where, select: { guildId: true, userId: true } });
}

async function endVisit(
  call: CallContext,
  { guildId, userId }: Visit,
  ending: readonly EndingConnection[],
): Promise<void> {
  const end = async (write: Write) => {
    if (await isConnected(call, write, userId, ending)) return;
    const where = { guildId, userId, ...IS_VISIT };
    const member = await write.db.member.findFirst({ where, select: { user: true } });
    if (member) await endMembership(call, write, guildId, member.user);
  };
  await call.write(end, { streams: [topics.guild(guildId), topics.user(userId)] });
}

async function hasLastOfVisitor(
  call: CallContext,
  write: Write,
  ending: readonly EndingConnection[],
): Promise<boolean> {
  for (const { userId } of await visitsOf(write.db, ending)) {
    if (!(await isConnected(call, write, userId, ending))) return true;
  }
  return false;
}

async function isConnected(
  { live }: CallContext,
  { db }: Write,
  userId: bigint,
  ending: readonly EndingConnection[],
): Promise<boolean> {
  const others = {
    userId,
    sessionId: { notIn: ending.map(({ id }) => id) },
    process: { until: { gt: live.now() } },
  };
  return (await db.presence.count({ where: others })) > 0;
}
