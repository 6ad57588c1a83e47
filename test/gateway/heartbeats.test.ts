import { constants, inflateRawSync, inflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ManualClock } from '../harness/clock.js';
import { type Decoder, GatewayClient } from '../harness/gateway-client.js';
import { startServer, type TestServer } from '../harness/server.js';
import { addMember, createBot, createBotInGuild, createGuild, say, type TestBot } from '../harness/world.js';

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

/** Each payload can be inflated alone, because its blocks refer to nothing before them (G-43). */
function zlibStream(): Decoder {
  const options = { finishFlush: constants.Z_SYNC_FLUSH };
  let isFirst = true;
  return (data) => {
    const text = isFirst ? inflateSync(data, options) : inflateRawSync(data, options);
    isFirst = false;
    return text.toString();
  };
}

it.each([
  ['without compression', '?v=10', undefined],
  ['with zlib-stream', '?v=10&compress=zlib-stream', zlibStream],
])(
  'G-11 a client that reads and sends, but not heartbeats, closes 4009 after 61,875 ms, %s',
  async (_how, query, decode) => {
    const { bot: watcher, guild } = await createBotInGuild(server.app);
    const client = await GatewayClient.open(server.origin, query, decode?.());
    const ready = await client.ready(watcher.token);
    clock.advance(60_000);
    await client.settled();
    clock.advance(61_874);
    client.send(31, { guild_ids: [String(guild.id)] });
    await client.event('SOUNDBOARD_SOUNDS');
    await say(server.app, guild, guild.owner, 'read');
    await client.event('MESSAGE_CREATE');
    clock.advance(1);
    expect((await client.closed).code).toBe(4009);

    await say(server.app, guild, guild.owner, 'missed');
    const again = await GatewayClient.open(server.origin);
    again.send(6, { token: watcher.token, session_id: ready.d.session_id, seq: client.sequence });
    expect((await again.event('MESSAGE_CREATE')).d.content).toBe('missed');
    expect((await again.next()).t).toBe('RESUMED');
    await again.close();
  },
);
