import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { ManualClock } from '../harness/clock.js';
import { it } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { startServer, type TestServer } from '../harness/server.js';
import { createBotInGuild, type TestBot, type TestGuild } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ({ bot, guild } = await createBotInGuild(server.app));
});

const open = (query?: string) => GatewayClient.open(server.origin, query);

async function closeAfter(message: string | Buffer): Promise<number> {
  const client = await open();
  client.socket.send(message);
  return (await client.closed).code;
}

describe('G-1 the address', () => {
  it.each(['', '?v=10', '?v=9', '/?v=10&encoding=json', '?encoding=json'])(
    'G-1 accepts a connection and sends HELLO at /gateway%s',
    async (query) => {
      const client = await open(query);
      expect((await client.next()).op).toBe(10);
      await client.close();
    },
  );

  it.each(['8', '11', '09', 'ten', ''])('G-1 closes 4012 for v=%s', async (version) => {
    const client = await open(`?v=${version}`);
    expect((await client.closed).code).toBe(4012);
    expect(client.frames).toEqual([]);
  });
});

it.each(['etf', 'xml', ''])('G-2 the gateway closes 4002 with a reason for encoding=%s', async (encoding) => {
  const client = await open(`?v=10&encoding=${encoding}`);
  expect(await client.closed).toEqual({ code: 4002, reason: 'Only encoding=json is offered.' });
});

it('G-3 the gateway closes 4002 for an unsupported compression', async () => {
  const client = await open('?v=10&compress=brotli');
  expect((await client.closed).code).toBe(4002);
});

async function rawUpgrade(headers: string[]): Promise<{ head: string; segments: Buffer[] }> {
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  const segments: Buffer[] = [];
  socket.write(
    [
      'GET /gateway?v=10 HTTP/1.1',
      `Host: ${hostname}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
      '\r\n',
    ].join('\r\n'),
  );
  while (!Buffer.concat(segments).includes('heartbeat_interval')) segments.push((await once(socket, 'data'))[0]);
  socket.destroy();
  return { head: Buffer.concat(segments).toString('latin1').split('\r\n\r\n')[0]!, segments };
}

it('G-3 the gateway does not accept an offer of permessage-deflate', async () => {
  const { head } = await rawUpgrade(['Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits']);
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  expect(head.toLowerCase()).not.toContain('sec-websocket-extensions');
});

it('G-4 the gateway sends HELLO in a segment of its own, and requires no User-Agent', async () => {
  // A busy machine may read both segments together even if they were sent apart, but not in all attempts.
  let isApart = false;
  for (let attempt = 0; attempt < 50 && !isApart; attempt += 1) {
    const { segments } = await rawUpgrade([]);
    isApart = segments[0]!.toString('latin1').endsWith('\r\n\r\n');
  }
  expect(isApart).toBe(true);
});

it('G-4 the gateway sends HELLO first, with the heartbeat interval', async () => {
  const client = await open();
  expect(await client.next()).toMatchObject({ op: 10, d: { heartbeat_interval: 41_250 } });
  await client.close();
});

it('G-4 the gateway accepts an IDENTIFY that arrives before HELLO was read', async () => {
  const client = await open();
  client.identify(bot.token);
  expect((await client.next()).op).toBe(10);
  expect((await client.next()).t).toBe('READY');
  await client.close();
});

it('G-5 the gateway sends op, d, s and t in every payload, s and t null unless op is 0', async () => {
  const client = await open();
  await client.ready(bot.token);
  await client.settled();
  for (const frame of client.frames) {
    expect(Object.keys(frame).sort()).toEqual(['d', 'op', 's', 't']);
    expect([frame.s === null, frame.t === null]).toEqual(frame.op === 0 ? [false, false] : [true, true]);
  }
  await client.close();
});

describe('G-6 payloads of a client', () => {
  it.each([
    ['no JSON', 'hello'],
    ['no object', '[1]'],
    ['null', 'null'],
    ['no op', '{"d":null}'],
    ['a text op', '{"op":"1","d":null}'],
    ['a broken op', '{"op":1.5,"d":null}'],
    ['nothing', ''],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['an ETF term', Buffer.from([131, 116, 0, 0, 0, 0])],
    ['deep nesting', '['.repeat(4_000)],
  ])('G-6 close 4002 for %s', async (_name, message) => {
    expect(await closeAfter(message)).toBe(4002);
  });

  it.each([4_097, 70_000, 3_000_000])('G-6 close 4002 for %i bytes', async (length) => {
    const start = '{"op":1,"d":null,"x":"';
    expect(await closeAfter(`${start}${'x'.repeat(length - start.length - 2)}"}`)).toBe(4002);
  });

  it('G-6 close 4002 for text that is not UTF-8', async () => {
    const client = await open();
    client.socket.send(Buffer.from('{"op":1,"d":"\xff"}', 'latin1'), { binary: false });
    expect((await client.closed).code).toBe(4002);
  });

  it('G-6 may have 4096 bytes, unknown fields, and JSON in a binary message', async () => {
    const client = await open();
    const start = '{"op":1,"d":null,"x":"';
    client.socket.send(Buffer.from(`${start}${'x'.repeat(4_096 - start.length - 2)}"}`));
    expect((await client.op(11)).op).toBe(11);
    await client.close();
  });

  it('G-6 keep the digits of ids that are sent as numbers', async () => {
    const client = await open();
    await client.ready(bot.token);
    client.socket.send(
      `{"op":8,"d":{"guild_id":${guild.id},"user_ids":[${bot.id}],"nonce":"a \\"12345678901234567\\""}}`,
    );
    const chunk = await client.event('GUILD_MEMBERS_CHUNK');
    expect(chunk.d.members.map((member: { user: { id: string } }) => member.user.id)).toEqual([String(bot.id)]);
    expect(chunk.d.nonce).toBe('a "12345678901234567"');
    await client.close();
  });
});

it('G-7 the gateway closes 4008 at the 121st payload of a minute, heartbeats included', async () => {
  const client = await open();
  for (let sent = 0; sent < 120; sent += 1) client.send(1, null);
  for (let answered = 0; answered < 120; answered += 1) await client.op(11);
  client.send(1, null);
  expect((await client.closed).code).toBe(4008);
});

it('G-7 the gateway counts the payloads of any 60 s window', async () => {
  const clock = new ManualClock();
  const timed = await startServer({ clock });
  const send = async (client: GatewayClient, count: number) => {
    for (let sent = 0; sent < count; sent += 1) client.send(1, null);
    for (let answered = 0; answered < count; answered += 1) await client.op(11);
  };
  const [early, inTime] = [await GatewayClient.open(timed.origin), await GatewayClient.open(timed.origin)];
  for (const client of [early, inTime]) await send(client, 20);
  clock.advance(40_000);
  for (const client of [early, inTime]) await send(client, 100);
  clock.advance(19_999);
  early.send(1, null);
  expect((await early.closed).code).toBe(4008);
  clock.advance(1);
  await send(inTime, 20);
  inTime.send(1, null);
  expect((await inTime.closed).code).toBe(4008);
  await timed.stop();
});

it.each([0, 5, 7, 9, 10, 11, 12, 99, -1, 2 ** 60])('G-8 the gateway closes 4001 for op %i', async (op) => {
  expect(await closeAfter(JSON.stringify({ op, d: null }))).toBe(4001);
});

it.each([3, 4, 8, 31, 43])('G-9 the gateway closes 4003 for op %i before IDENTIFY', async (op) => {
  expect(await closeAfter(JSON.stringify({ op, d: {} }))).toBe(4003);
});

it('G-9 the gateway queues requests during IDENTIFY until it ends', async () => {
  const client = await open();
  client.identify(bot.token);
  client.send(8, { guild_id: String(guild.id), user_ids: [String(bot.id)] });
  await client.event('READY');
  expect((await client.event('GUILD_MEMBERS_CHUNK')).d.members).toHaveLength(1);
  await client.close();
});
