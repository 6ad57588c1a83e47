import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  claimMove,
  findAbandonedMoves,
  releaseMove,
  storeMove,
  takeOverConnections,
} from '../../src/domain/session-moves.js';
import { createPerson } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const call = () => server.app.callOfNobody();
const store = (text: string, target: string | null) =>
  storeMove(call(), { sessions: new TextEncoder().encode(text), target, movedAt: 1_700_000_000_000 });
const textOf = (packed: Uint8Array) => new TextDecoder().decode(packed);

describe('sessions that move', () => {
  it('are taken in by one of those who claim them at once', async () => {
    const id = await store('sessions', server.app.live.id);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimMove(call(), id)));
    const won = claims.filter((claim) => claim !== null);
    expect(won).toHaveLength(1);
    expect(textOf(won[0]!.sessions)).toBe('sessions');
    expect(won[0]!.movedAt).toBe(1_700_000_000_000);
    expect(await claimMove(call(), id)).toBeNull();
  });

  it('are abandoned if they are for this process, for any, or for one that is gone', async () => {
    const other = randomUUID();
    await server.app.db.writer.liveProcess.create({ data: { id: other, until: new Date(Date.now() + 60_000) } });
    const living = await store('for a living process', other);
    const abandoned = [
      await store('for this process', server.app.live.id),
      await store('for any', null),
      await store('for one that is gone', randomUUID()),
    ];
    expect((await findAbandonedMoves(call())).sort()).toEqual(abandoned.sort());
    await releaseMove(call(), living);
    expect(await findAbandonedMoves(call())).toContain(living);
  });

  it('bring their presences, of which others stay', async () => {
    const { app } = server;
    const user = await createPerson(app);
    const processId = randomUUID();
    const until = new Date(Date.now() + 60_000);
    await app.db.writer.liveProcess.create({ data: { id: processId, until } });
    for (const sessionId of ['moved', 'stays']) {
      await app.connections.open(
        { id: sessionId, userId: user.id, session: null },
        { status: 'online', activities: [], since: null, afk: false },
      );
    }
    await app.db.writer.presence.updateMany({ data: { processId } });
    await takeOverConnections(call(), ['moved']);
    const rows = await app.db.reader.presence.findMany({ where: { userId: user.id }, orderBy: { sessionId: 'asc' } });
    expect(rows.map((row) => [row.sessionId, row.processId])).toEqual([
      ['moved', app.live.id],
      ['stays', processId],
    ]);
  });
});
