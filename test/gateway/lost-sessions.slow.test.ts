import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifyPerDay } from '../../src/domain/limits.js';
import { endProcess } from '../../src/domain/presences/index.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { missingForSeveralProcesses } from '../harness/redis.js';
import { needing } from '../harness/skipping.js';
import { startTwoProcesses, type TwoProcesses } from '../harness/two-processes.js';
import { createBot, type TestBot } from '../harness/world.js';

const missing = await missingForSeveralProcesses();

describe.skipIf(missing)(needing(missing, 'two processes'), () => {
  let two: TwoProcesses;

  beforeAll(async () => {
    two = await startTwoProcesses({ env: { RATE_LIMITS: 'on' } });
  });
  afterAll(() => two.stop());

  const app = () => two.second.app;
  const remaining = async ({ id }: TestBot) => (await app().limits.peek(identifyPerDay(0), String(id))).remaining;

  async function resume(bot: TestBot, sessionId: string): Promise<GatewayClient> {
    const client = await GatewayClient.open(two.second.origin);
    client.send(6, { token: bot.token, session_id: sessionId, seq: 1 });
    await client.op(9);
    return client;
  }

  it('G-17 a bot whose process is killed identifies for nothing, at once or when the process counts as dead', async () => {
    const [quick, slow] = [await createBot(app()), await createBot(app())];
    const [one, other] = [await GatewayClient.open(two.first.origin), await GatewayClient.open(two.first.origin)];
    const { session_id: sessionId } = (await one.ready(quick.token)).d;
    await other.ready(slow.token);
    const { processId } = await app().db.reader.presence.findUniqueOrThrow({ where: { sessionId } });

    // While the process runs, a row alone proves nothing.
    const left = randomBytes(16).toString('hex');
    const row = { userId: quick.id, processId, status: 'online', activities: [], connectedAt: new Date() };
    await app().db.writer.presence.create({ data: { ...row, sessionId: left } });
    await (await resume(quick, left)).close();
    await app().db.writer.presence.delete({ where: { sessionId: left } });
    expect([await remaining(quick), await remaining(slow)]).toEqual([999, 999]);

    await two.first.end('SIGKILL');
    const again = await resume(quick, sessionId);
    expect([await remaining(quick), await remaining(slow)]).toEqual([1_000, 999]);
    // As at the end of its heartbeat.
    await endProcess(app().callOfNobody(), processId, true);
    expect([await remaining(quick), await remaining(slow)]).toEqual([1_000, 1_000]);
    await again.close();
  });
});
