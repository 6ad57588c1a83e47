import type { Presence, Prisma } from '../../infra/database/index.js';
import { noteSeen } from '../accounts/seen.js';
import type { CallContext, Write } from '../call.js';
import { endVoice } from '../voice/leave.js';
import { byUser, latestOf, presencesOf, type ShownPresence, type Statement, type Status, shownOf } from './record.js';
import { endVisits } from './visits.js';

/** Somebody's connection to this process. */
export interface ConnectionKey {
  /** That of the gateway session or of the socket. */
  id: string;
  userId: bigint;
  /** Null for a person's connection. */
  session: SessionFacts | null;
}

/** What is kept of a bot's gateway session beside what it says. */
export interface SessionFacts {
  shardId: number;
  shardCount: number;
  intents: number;
  /** When its present connection came. */
  connectedAt: Date;
}

/** How others saw a user before, and see them now. */
export interface Change {
  before: ShownPresence;
  after: ShownPresence;
  /** Whether a bot's session began or ended with it, or went on at another connection. */
  isOfSessions: boolean;
}

/** Stores what a connection says. @throws a missing reference where this process was taken for dead */
export function storeStatement(
  call: CallContext,
  { id, userId, session }: ConnectionKey,
  statement: Statement,
): Promise<Change> {
  return call.write(
    async ({ db }) => {
      const rows = await presencesOf(db, userId, call.live.now());
      const others = rows.filter(({ sessionId }) => sessionId !== id);
      const row = {
        userId,
        processId: call.live.id,
        statementId: call.nextId(),
        status: statement.status ?? latestOf(others)?.status ?? 'online',
        activities: statement.activities as unknown as Prisma.InputJsonArray,
        since: statement.since === null ? null : BigInt(statement.since),
        afk: statement.afk,
        ...session,
      };
      const stored = await db.presence.upsert({
        where: { sessionId: id },
        create: { sessionId: id, ...row },
        update: row,
      });
      return {
        before: shownOf(userId, rows),
        after: shownOf(userId, [...others, stored]),
        isOfSessions: session !== null && !rows.some((known) => isConnection(known, { id, session })),
      };
    },
    { serializable: true },
  );
}

/** Whether a row is of a session's present connection. */
function isConnection(
  { sessionId, connectedAt }: Presence,
  { id, session }: { id: string; session: SessionFacts },
): boolean {
  return sessionId === id && connectedAt?.getTime() === session.connectedAt.getTime();
}

/** Says the same of all of a person's connections, wherever they are. @returns null where they have none */
export function storeStatus(call: CallContext, userId: bigint, status: Status): Promise<Change | null> {
  return call.write(
    async ({ db }) => {
      const rows = await presencesOf(db, userId, call.live.now());
      if (rows.length === 0) return null;
      const said = { status, statementId: call.nextId() };
      await db.presence.updateMany({ where: { userId }, data: said });
      return {
        before: shownOf(userId, rows),
        after: shownOf(userId, [{ ...said, activities: [] }]),
        isOfSessions: false,
      };
    },
    { serializable: true },
  );
}

/** Ends what a connection says, where it is in voice, and, with the last connection of a person, their visits. */
export function endConnection(
  call: CallContext,
  { id, userId, session, isInVoice }: ConnectionKey & { isInVoice: boolean },
): Promise<Change> {
  return call.write(
    async (write) => {
      const rows = await presencesOf(write.db, userId, call.live.now());
      const rest = rows.filter(({ sessionId }) => sessionId !== id);
      if (isInVoice) await endVoice(write, { userId, sessionId: id });
      const { count } = await write.db.presence.deleteMany({ where: { sessionId: id } });
      if (count > 0 && !session) await noteSeen(write.db, userId, call.clock.now());
      if (count > 0 && rest.length === 0 && !session) await endVisits(call, write, [userId]);
      return {
        before: shownOf(userId, rows),
        after: shownOf(userId, rest),
        isOfSessions: session !== null && count > 0,
      };
    },
    { serializable: true },
  );
}

/** Rows of a process that ended, which are removed at once. */
const ENDED_PER_TRANSACTION = 200;

/**
 * Ends some of what connections to a process said; whoever does it at the same time ends others.
 * @returns what changed; null once there is nothing left
 */
export function endSomePresences(call: CallContext, processId: string): Promise<Change[] | null> {
  return call.write(
    async (write) => {
      const ended = await write.db.presence.findMany({
        where: { processId },
        orderBy: { sessionId: 'asc' },
        take: ENDED_PER_TRANSACTION,
      });
      if (ended.length === 0) return null;
      const changes = await changesWithout(call, write, ended);
      await write.db.presence.deleteMany({ where: { sessionId: { in: ended.map(({ sessionId }) => sessionId) } } });
      await endVisits(
        call,
        write,
        changes.filter(({ isLast }) => isLast).map(({ after }) => after.userId),
      );
      return changes;
    },
    { serializable: true },
  );
}

/** What it changes that these rows end, for each of their users. */
async function changesWithout(
  call: CallContext,
  { db }: Write,
  ended: Presence[],
): Promise<(Change & { isLast: boolean })[]> {
  const userIds = [...new Set(ended.map(({ userId }) => userId))];
  const others = await db.presence.findMany({
    where: {
      userId: { in: userIds },
      sessionId: { notIn: ended.map(({ sessionId }) => sessionId) },
      process: { until: { gt: call.live.now() } },
    },
  });
  const restOf = byUser(others);
  const endedOf = byUser(ended);
  return userIds.map((userId) => {
    const rest = restOf.get(userId) ?? [];
    const ofUser = endedOf.get(userId) ?? [];
    return {
      before: shownOf(userId, [...rest, ...ofUser]),
      after: shownOf(userId, rest),
      isOfSessions: ofUser.some(({ connectedAt }) => connectedAt !== null),
      isLast: rest.length === 0,
    };
  });
}
