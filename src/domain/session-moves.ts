import { randomUUID } from 'node:crypto';
import { chunksOf } from '../infra/concurrency/event-loop.js';
import type { CallContext } from './call.js';

/** Sessions between two processes, as `src/gateway/moves/snapshot.ts` writes them. */
export interface SessionMove {
  id: string;
  sessions: Uint8Array;
  /** In milliseconds since the Unix epoch. */
  movedAt: number;
}

/** SQLite takes 999 parameters. */
const CONNECTIONS_PER_STATEMENT = 400;

export interface NewSessionMove extends Omit<SessionMove, 'id'> {
  /** The process that is to take them in; null for the next that starts. */
  target: string | null;
}

/** @returns its id */
export async function storeMove(call: CallContext, { sessions, target, movedAt }: NewSessionMove): Promise<string> {
  const id = randomUUID();
  const data = { id, target, movedAt: new Date(movedAt), sessions: Buffer.from(sessions) };
  await call.writeOne((db) => db.sessionMove.create({ data }));
  return id;
}

/** Lets any process take it. */
export async function releaseMove(call: CallContext, id: string): Promise<void> {
  await call.writeOne((db) => db.sessionMove.updateMany({ where: { id }, data: { target: null } }));
}

/** Of concurrent callers, one gets it. @returns null if another process has taken it */
export async function claimMove(call: CallContext, id: string): Promise<SessionMove | null> {
  const [claimed] = await call.write(
    ({ db }) => db.$queryRaw<{ sessions: Uint8Array; movedAt: Date }[]>`
      DELETE FROM "SessionMove" WHERE "id" = ${id} RETURNING "sessions", "movedAt"`,
  );
  return claimed ? { id, sessions: claimed.sessions, movedAt: new Date(claimed.movedAt).getTime() } : null;
}

/** @returns ids of moves for this process, for any, or for one that is gone; the oldest first */
export async function findAbandonedMoves({ read, live }: CallContext): Promise<string[]> {
  const others = await read.liveProcess.findMany({
    where: { id: { not: live.id }, until: { gt: live.now() } },
    select: { id: true },
  });
  const living = others.map(({ id }) => id);
  const rows = await read.sessionMove.findMany({
    where: { OR: [{ target: null }, { target: { notIn: living } }] },
    orderBy: { movedAt: 'asc' },
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/** Makes connections of an earlier process those of this one. Their presences and voice states stay as they are. */
export async function takeOverConnections(call: CallContext, ids: readonly string[]): Promise<void> {
  for (const piece of chunksOf(ids, CONNECTIONS_PER_STATEMENT)) {
    await call.write(async ({ db }) => {
      const where = { sessionId: { in: piece } };
      const data = { processId: call.live.id };
      await db.presence.updateMany({ where, data });
      await db.voiceState.updateMany({ where, data });
    });
  }
}
