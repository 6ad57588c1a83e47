import { type Presence, Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { noteSeen } from '../accounts/seen.js';
import type { CallContext, Write } from '../call.js';
import { leaveAll } from '../voice/leave.js';
import { byUser, latestOf, presencesOf, type ShownPresence, type Statement, type Status, shownOf } from './record.js';
import { endingVisits } from './visits.js';

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
  /** Of the user's stream. */
  clock: number;
}

export interface Ending extends Change {
  /** Sessions of which the bot has not got an IDENTIFY back. */
  lostSessions: number;
}

/** A connection to store. */
export interface ConnectionState extends ConnectionKey {
  /** Null if the connection has closed. */
  statement: Statement | null;
  /** Whether its voice state ends with it. */
  isInVoice: boolean;
}

/**
 * Stores connections of different users in one transaction. With a person's last connection, their temporary memberships
 * end too.
 * @returns the changes in the order of `states`
 * @throws a missing reference if other processes considered this one dead
 */
export async function storeConnections(call: CallContext, states: readonly ConnectionState[]): Promise<Change[]> {
  const closed = states.filter(({ statement }) => statement === null);
  for (const { id, userId, isInVoice } of closed) if (isInVoice) await leaveAll(call, { userId, sessionId: id });
  const people = closed.filter(({ session }) => session === null);
  return endingVisits(call, people, streamsOf(states), async ({ db, clockOf }) => {
    const stored = await db.presence.findMany({ where: { userId: { in: states.map(({ userId }) => userId) } } });
    const storedOf = byUser(stored);
    const live = await db.liveProcess.findMany({ where: { until: { gt: call.live.now() } }, select: { id: true } });
    const processIds = new Set(live.map(({ id }) => id));
    const changes: Change[] = [];
    const begun: Presence[] = [];
    const ended: ConnectionState[] = [];
    for (const state of states) {
      const { id, userId, session } = state;
      const known = storedOf.get(userId) ?? [];
      const rows = known.filter(({ processId }) => processIds.has(processId));
      const others = rows.filter(({ sessionId }) => sessionId !== id);
      const isStored = known.some(({ sessionId }) => sessionId === id);
      const row = state.statement && rowOf(call, state, state.statement, others);
      if (row && isStored) await db.presence.update({ where: { sessionId: id }, data: row });
      else if (row) begun.push({ ...NO_SESSION, sessionId: id, ...row });
      else if (isStored) ended.push(state);
      changes.push({
        before: shownOf(userId, rows),
        after: shownOf(userId, row ? [...others, row] : others),
        isOfSessions: session !== null && (row ? !rows.some((one) => isConnection(one, { id, session })) : isStored),
        clock: clockOf(topics.user(userId)),
      });
    }
    if (begun.length > 0) await insertPresences(db, begun);
    if (ended.length > 0) await db.presence.deleteMany({ where: { sessionId: { in: ended.map(({ id }) => id) } } });
    const endedPeople = ended.filter(({ session }) => session === null);
    for (const { userId } of endedPeople) await noteSeen(db, userId, call.clock.now());
    return changes;
  });
}

const NO_SESSION = { shardId: null, shardCount: null, intents: null, connectedAt: null };

/** Prisma's `createMany` compiles each call again, which takes most of the time of a burst of connections. */
async function insertPresences(db: Write['db'], rows: readonly Presence[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}) as (keyof Presence)[];
  const names = Prisma.raw(columns.map((column) => `"${column}"`).join(', '));
  const lines = rows.map((row) => Prisma.sql`(${Prisma.join(columns.map((column) => storable(row[column])))})`);
  await db.$executeRaw`INSERT INTO "Presence" (${names}) VALUES ${Prisma.join(lines)}`;
}

function storable(value: Presence[keyof Presence]) {
  return Array.isArray(value) ? JSON.stringify(value) : value;
}

/** The streams that order the presences of each user. */
function streamsOf(users: readonly Pick<Presence, 'userId'>[]): string[] {
  return [...new Set(users.map(({ userId }) => topics.user(userId)))];
}

function rowOf(
  call: CallContext,
  { userId, session }: ConnectionKey,
  statement: Statement,
  others: readonly Presence[],
) {
  return {
    userId,
    processId: call.live.id,
    statementId: call.nextId(),
    status: statement.status ?? latestOf(others)?.status ?? 'online',
    activities: statement.activities as unknown as Prisma.JsonArray & Prisma.InputJsonArray,
    since: statement.since === null ? null : BigInt(statement.since),
    afk: statement.afk,
    ...session,
  };
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
    async ({ db, clockOf }) => {
      const rows = await presencesOf(db, userId, call.live.now());
      if (rows.length === 0) return null;
      const said = { status, statementId: call.nextId() };
      await db.presence.updateMany({ where: { userId }, data: said });
      return {
        before: shownOf(userId, rows),
        after: shownOf(userId, [{ ...said, activities: [] }]),
        isOfSessions: false,
        clock: clockOf(topics.user(userId)),
      };
    },
    { streams: streamsOf([{ userId }]) },
  );
}

const ENDED_PER_TRANSACTION = 200;

/** Ends one batch. Concurrent callers end each presence once. @returns null if none are left */
export async function endSomePresences(call: CallContext, processId: string): Promise<Ending[] | null> {
  const ending = await call.read.presence.findMany({
    where: { processId },
    orderBy: { sessionId: 'asc' },
    take: ENDED_PER_TRANSACTION,
    select: { sessionId: true, userId: true },
  });
  if (ending.length === 0) return null;
  const connections = ending.map(({ sessionId, userId }) => ({ id: sessionId, userId }));
  return endingVisits(call, connections, streamsOf(ending), async (write) => {
    const ids = ending.map(({ sessionId }) => sessionId);
    const ended = await write.db.presence.findMany({ where: { processId, sessionId: { in: ids } } });
    const changes = await changesWithout(call, write, ended);
    const deleted = await write.db.$queryRaw<Pick<Presence, 'userId' | 'connectedAt'>[]>`
      DELETE FROM "Presence" WHERE "processId" = ${processId} AND "sessionId" IN (${Prisma.join(ids)})
      RETURNING "userId", "connectedAt"`;
    const lost = deleted.filter(({ connectedAt }) => connectedAt !== null);
    return changes.map((change) => ({
      ...change,
      lostSessions: lost.filter(({ userId }) => userId === change.after.userId).length,
    }));
  });
}

async function changesWithout(call: CallContext, { db, clockOf }: Write, ended: Presence[]): Promise<Change[]> {
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
      isOfSessions: ofUser.some(({ shardId }) => shardId !== null),
      clock: clockOf(topics.user(userId)),
    };
  });
}
