import { randomUUID } from 'node:crypto';
import { chunksOf } from '../infra/concurrency/event-loop.js';
import { Prisma } from '../infra/database/index.js';
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

/** @param target the process that is to take them in; null for the next that starts */
export async function storeMove(call: CallContext, sessions: Uint8Array, target: string | null): Promise<string> {
  const id = randomUUID();
  const movedAt = new Date(call.clock.now());
  await call.writeOne((db) =>
    db.sessionMove.create({ data: { id, target, movedAt, sessions: Buffer.from(sessions) } }),
  );
  return id;
}

/** Lets any process take it. */
export async function releaseMove(call: CallContext, id: string): Promise<void> {
  await call.writeOne((db) => db.sessionMove.updateMany({ where: { id }, data: { target: null } }));
}

/** @returns null if another process has taken it */
export async function claimMove(call: CallContext, id: string): Promise<SessionMove | null> {
  const [claimed] = await claim(call, Prisma.sql`"id" = ${id}`);
  return claimed ?? null;
}

/** Takes what no other process takes in. Of concurrent callers, one gets each. */
export function claimAbandonedMoves(call: CallContext): Promise<SessionMove[]> {
  const living = Prisma.sql`SELECT "id" FROM "LiveProcess" WHERE "until" > ${call.live.now()}`;
  return claim(call, Prisma.sql`"target" IS NULL OR "target" NOT IN (${living})`);
}

async function claim(call: CallContext, which: Prisma.Sql): Promise<SessionMove[]> {
  const claimed = await call.write(
    ({ db }) => db.$queryRaw<{ id: string; sessions: Uint8Array; movedAt: Date }[]>`
      DELETE FROM "SessionMove" WHERE ${which} RETURNING "id", "sessions", "movedAt"`,
  );
  return claimed.map(({ movedAt, ...move }) => ({ ...move, movedAt: new Date(movedAt).getTime() }));
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
