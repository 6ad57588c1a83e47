import { afterAll, beforeAll, expect, it } from 'vitest';
import { ManualClock } from '../harness/clock.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { createBot, type TestBot } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';

const clock = new ManualClock();
let server: TestServer;
let bot: TestBot;

beforeAll(async () => {
  server = await startServer({ clock });
  bot = await createBot(server.app);
});
afterAll(() => server.stop());

it('G-10 answers a heartbeat by op 11, before and after IDENTIFY', async () => {
  const client = await GatewayClient.open(server.origin);
  client.send(1, null);
  await client.op(11);
  await client.ready(bot.token);
  client.send(1, client.sequence);
  await client.op(11);
  client.socket.send('{"op":1}');
  await client.op(11);
  await client.close();
});

it.each(['"3"', '-1', '{}', '1.5'])('G-10 closes 4002 for a heartbeat with d %s', async (d) => {
  const client = await GatewayClient.open(server.origin);
  client.socket.send(`{"op":1,"d":${d}}`);
  expect((await client.closed).code).toBe(4002);
});

it('G-10 answers a heartbeat whose d was never sent, however long', async () => {
  const client = await GatewayClient.open(server.origin);
  client.socket.send('{"op":1,"d":12345678901234567890}');
  await client.op(11);
  await client.close();
});

it('G-11 closes 4009 after 1.5 intervals without a heartbeat, and the session can be resumed', async () => {
  const client = await GatewayClient.open(server.origin);
  const ready = await client.ready(bot.token);
  clock.advance(60_000);
  client.send(1, null);
  await client.op(11);
  clock.advance(61_874);
  client.send(3, { status: 'idle', activities: [], since: null, afk: false });
  await client.settled();
  clock.advance(61_876);
  expect((await client.closed).code).toBe(4009);

  const again = await GatewayClient.open(server.origin);
  again.send(6, { token: bot.token, session_id: ready.d.session_id, seq: 1 });
  expect((await again.next((frame) => frame.op === 0)).t).toBe('RESUMED');
  await again.close();
});
