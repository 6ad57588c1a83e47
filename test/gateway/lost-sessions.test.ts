import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { identifyPerDay } from '../../src/domain/limits.js';
import { endProcess } from '../../src/domain/presences/index.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { startServer, type TestServer } from '../harness/server.js';
import { createBot, type TestBot } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
});
afterAll(() => server.stop());
beforeEach(async () => {
  bot = await createBot(server.app);
});

const newId = () => randomBytes(16).toString('hex');
const budget = () => server.app.limits.peek(identifyPerDay(0), String(bot.id));
const use = (times: number) => server.app.limits.take(identifyPerDay(0), String(bot.id), times);

/** Rows of connected sessions, by default of a process that was killed. */
async function loseSessions(
  count: number,
  processId: string = randomUUID(),
): Promise<{ processId: string; ids: string[] }> {
  const ids = Array.from({ length: count }, newId);
  const until = new Date(server.app.live.now().getTime() + 30_000);
  await server.app.db.writer.liveProcess.upsert({
    where: { id: processId },
    create: { id: processId, until },
    update: {},
  });
  const row = { userId: bot.id, processId, status: 'online', activities: [], shardId: 0, shardCount: 1, intents: 0 };
  await server.app.db.writer.presence.createMany({
    data: ids.map((sessionId) => ({ ...row, sessionId, connectedAt: new Date() })),
  });
  return { processId, ids };
}

/** Settles after op 9. */
async function resume(sessionId: string, { token } = bot): Promise<void> {
  const client = await GatewayClient.open(server.origin);
  client.send(6, { token, session_id: sessionId, seq: 1 });
  expect((await client.op(9)).d).toBe(false);
  await client.close();
}

const end = (processId: string) => endProcess(server.app.callOfNobody(), processId, true);

it('G-17 a session of a killed process gives back one IDENTIFY, even if two RESUMEs race with two other processes', async () => {
  const { processId, ids } = await loseSessions(12);
  await use(20);
  const resumes = ids.slice(0, 8).flatMap((id) => [resume(id), resume(id)]);
  await Promise.all([...resumes, end(processId), end(processId)]);
  expect((await budget()).remaining).toBe(1_000 - 20 + 12);
  await Promise.all([...ids.map((id) => resume(id)), end(processId)]);
  expect((await budget()).remaining).toBe(1_000 - 20 + 12);
});

it('G-17 of two RESUMEs at once, one gives back', async () => {
  const { ids } = await loseSessions(8);
  await use(20);
  await Promise.all(ids.flatMap((id) => [resume(id), resume(id)]));
  expect((await budget()).remaining).toBe(1_000 - 20 + 8);
});

it('G-17 an IDENTIFY given back in a later window allows one more, and the budget never shows more than its total', async () => {
  const { ids } = await loseSessions(1);
  await resume(ids[0]!);
  expect(await budget()).toMatchObject({ limit: 1_000, remaining: 1_000 });
  await use(1_000);
  expect((await budget()).remaining).toBe(1);
});

it("G-17 another bot's session, an unknown one, and one that ended regularly or is about to, give nothing back", async () => {
  const { ids } = await loseSessions(1);
  const other = await createBot(server.app);
  const client = await GatewayClient.open(server.origin);
  const { session_id: ended } = (await client.ready(bot.token)).d;
  await use(9);
  await client.close(1000);
  await resume(ended);
  await server.app.connections.settle();
  expect(await server.app.db.reader.presence.count({ where: { sessionId: ended } })).toBe(0);
  const [own = ''] = (await loseSessions(1, server.app.live.id)).ids;
  await resume(own);
  await resume(newId());
  await resume('not an id');
  await resume(ids[0]!, other);
  expect((await budget()).remaining).toBe(1_000 - 10);
  expect((await server.app.limits.peek(identifyPerDay(0), String(other.id))).remaining).toBe(1_000);
  await resume(ids[0]!);
  expect((await budget()).remaining).toBe(1_000 - 9);
});
