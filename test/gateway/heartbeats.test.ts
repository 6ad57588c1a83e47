import { afterAll, beforeAll, expect, it } from 'vitest';
import { ManualClock } from '../harness/clock.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { startServer, type TestServer } from '../harness/server.js';
import { addMember, createBot, createGuild, say, type TestBot } from '../harness/world.js';

const clock = new ManualClock();
let server: TestServer;
let bot: TestBot;

beforeAll(async () => {
  server = await startServer({ clock });
  bot = await createBot(server.app);
});
afterAll(() => server.stop());

it('G-10 a heartbeat is answered with op 11, before and after IDENTIFY', async () => {
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

it('G-10 a heartbeat is answered after the events that are dispatched before the answer', async () => {
  const guild = await createGuild(server.app);
  const member = await createBot(server.app);
  await addMember(server.app, guild.id, member.user);
  const client = await GatewayClient.open(server.origin);
  await client.ready(member.token);
  client.send(1, client.sequence);
  client.send(31, { guild_ids: [String(guild.id)] });
  expect(await client.next()).toMatchObject({ op: 0, t: 'SOUNDBOARD_SOUNDS' });
  expect(await client.next()).toEqual({ op: 11, t: null, s: null, d: null });
  await client.close();
});

it('G-10 a heartbeat is not answered on a connection that has closed since', async () => {
  const client = await GatewayClient.open(server.origin);
  await client.op(10);
  client.send(1, null);
  client.send(99, null);
  expect((await client.closed).code).toBe(4001);
  expect(client.frames.map(({ op }) => op)).toEqual([10]);
});

it.each(['"3"', '-1', '{}', '1.5'])('G-10 a heartbeat with d %s closes 4002', async (d) => {
  const client = await GatewayClient.open(server.origin);
  client.socket.send(`{"op":1,"d":${d}}`);
  expect((await client.closed).code).toBe(4002);
});

it('G-10 a heartbeat whose d was never sent is answered, however long d is', async () => {
  const client = await GatewayClient.open(server.origin);
  client.socket.send('{"op":1,"d":12345678901234567890}');
  await client.op(11);
  await client.close();
});

it('G-10 a heartbeat whose d was never sent acknowledges nothing: a RESUME still repeats all missed events', async () => {
  const guild = await createGuild(server.app);
  const member = await createBot(server.app);
  await addMember(server.app, guild.id, member.user);
  const client = await GatewayClient.open(server.origin);
  const ready = await client.ready(member.token);
  const { sequence } = client;
  await say(server.app, guild, guild.owner, 'missed');
  await client.event('MESSAGE_CREATE');
  // A heartbeat releases the events that the heartbeat before it acknowledged.
  for (let beats = 0; beats < 3; beats += 1) {
    client.send(1, 1_000_000);
    await client.op(11);
  }
  await client.close(4999);

  const again = await GatewayClient.open(server.origin);
  again.send(6, { token: member.token, session_id: ready.d.session_id, seq: sequence });
  expect(await again.next(({ op }) => op !== 10)).toMatchObject({ t: 'MESSAGE_CREATE', d: { content: 'missed' } });
  expect((await again.next()).t).toBe('RESUMED');
  await again.close();
});

it('G-11 1.5 intervals without a heartbeat close 4009, and the session can be resumed', async () => {
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
