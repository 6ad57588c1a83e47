import type { Presence, Prisma } from '../../infra/database/index.js';
import { noteSeen } from '../accounts/seen.js';
import type { CallContext, Write } from '../call.js';
import { endVoice } from '../voice/leave.js';
import { byUser, latestOf, presencesOf, type ShownPresence, type Statement, type Status, shownOf } from './record.js';
import { endVisits } from './visits.js';

export interface ConnectionKey {
  /** The id of the gateway session or the socket. */
  id: string;
  userId: bigint;
  /** Null for a user's connection. */
  session: SessionSummary | null;
}

export interface SessionSummary {
  shardId: number;
  shardCount: number;
  intents: number;
  /** Of the current connection. */
  connectedAt: Date;
}

export interface Change {
  before: ShownPresence;
  after: ShownPresence;
  /** Whether a bot's session began, ended or resumed. */
  isOfSessions: boolean;
}

/** @throws a missing reference if other processes considered this one dead */
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

/** Whether a row belongs to the session's current connection. */
function isConnection(
  { sessionId, connectedAt }: Presence,
  { id, session }: { id: string; session: SessionSummary },
): boolean {
  return sessionId === id && connectedAt?.getTime() === session.connectedAt.getTime();
}

/** Includes connections to other processes. @returns null if the user has no connection */
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

/** With a user's last connection, their temporary memberships end too. */
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

const ENDED_PER_TRANSACTION = 200;

/** Ends one batch. Concurrent callers end different presences. @returns null if none are left */
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
