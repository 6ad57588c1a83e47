import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTyping } from '../../src/domain/messages/index.js';
import { RESUME_WINDOW_MS } from '../../src/gateway/protocol.js';
import { ManualClock } from '../harness/clock.js';
import { type Frame, GatewayClient } from '../harness/gateway-client.js';
import { startServer, type TestServer } from '../harness/server.js';
import { until } from '../harness/until.js';
import {
  callOf,
  createBot,
  createBotInGuild,
  say,
  sayAtLength,
  type TestBot,
  type TestGuild,
} from '../harness/world.js';

const clock = new ManualClock();
let server: TestServer;
let bot: TestBot;
let guild: TestGuild;
let clients: GatewayClient[] = [];

beforeAll(async () => {
  server = await startServer({ clock });
});
afterAll(async () => {
  await closeAll();
  await server.stop();
});

const closeAll = async () => {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
};

beforeEach(async () => {
  await closeAll();
  ({ bot, guild } = await createBotInGuild(server.app));
});

async function open(): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  return client;
}

/** A session whose connection was closed with `code`. It has received a message, so its permission is cached. */
async function lostSession(code = 4999): Promise<{ id: string; seq: number }> {
  const client = await open();
  const ready = await client.ready(bot.token);
  await speak('first');
  await client.event('MESSAGE_CREATE');
  await client.close(code);
  await serverHasNoticed();
  return { id: ready.d.session_id, seq: client.sequence! };
}

/** The server answers another connection after it has processed the close. */
async function serverHasNoticed(): Promise<void> {
  const client = await open();
  client.send(1, null);
  await client.op(11);
}

async function resume(session: { id: string; seq: number }, token = bot.token): Promise<[GatewayClient, Frame[]]> {
  const client = await open();
  client.send(6, { token, session_id: session.id, seq: session.seq });
  const frames: Frame[] = [];
  do frames.push(await client.next((frame) => frame.op === 0 || frame.op === 9));
  while (frames.at(-1)!.op === 0 && frames.at(-1)!.t !== 'RESUMED');
  return [client, frames];
}

async function speak(...texts: string[]): Promise<void> {
  for (const text of texts) await say(server.app, guild, guild.owner, text);
}

/** Typing events are the cheapest ones: they are not stored. */
async function typeOften(times: number): Promise<void> {
  const call = callOf(server.app, guild.owner);
  for (let count = 0; count < times; count += 1) await startTyping(call, { channelId: guild.channel.id });
}

async function speakAtLength(times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await sayAtLength(server.app, guild, guild.owner);
}

it.each([1000, 1001])('G-31 a client that closes with %i ends its session', async (code) => {
  const [, frames] = await resume(await lostSession(code));
  expect(frames).toMatchObject([{ op: 9, d: false }]);
});

it('G-31 a close code after which clients identify again ends the session', async () => {
  const client = await open();
  const ready = await client.ready(bot.token);
  client.identify(bot.token);
  expect((await client.closed).code).toBe(4005);
  const [, frames] = await resume({ id: ready.d.session_id, seq: 1 });
  expect(frames).toMatchObject([{ op: 9, d: false }]);
});

it('G-32 a session waits for a RESUME for 5 minutes and no longer', async () => {
  const kept = await lostSession();
  clock.advance(RESUME_WINDOW_MS - 1);
  const [client, frames] = await resume(kept);
  expect(frames.at(-1)!.t).toBe('RESUMED');
  await client.close(4999);
  await serverHasNoticed();
  clock.advance(RESUME_WINDOW_MS + 1);
  const [, late] = await resume(kept);
  expect(late).toMatchObject([{ op: 9, d: false }]);
});

it('G-32 a session survives a socket that breaks without a close', async () => {
  const client = await open();
  const ready = await client.ready(bot.token);
  client.socket.terminate();
  await client.closed;
  await serverHasNoticed();
  const [, frames] = await resume({ id: ready.d.session_id, seq: client.sequence! });
  expect(frames.at(-1)!.t).toBe('RESUMED');
});

it('G-33 a RESUME repeats missed events in order, then sends RESUMED, then new events', async () => {
  const session = await lostSession();
  await speak('one', 'two', 'three');
  const [client, frames] = await resume(session);
  expect(frames.map((frame) => frame.d.content ?? frame.t)).toEqual(['one', 'two', 'three', 'RESUMED']);
  expect(frames.map((frame) => frame.s! - session.seq)).toEqual([1, 2, 3, 4]);
  await speak('four');
  expect(await client.event('MESSAGE_CREATE')).toMatchObject({ s: session.seq + 5, d: { content: 'four' } });
});

it('G-33 a RESUME repeats from the requested number', async () => {
  const session = await lostSession();
  const [, frames] = await resume({ ...session, seq: 1 });
  expect(frames.map((frame) => frame.t)).toEqual(['GUILD_CREATE', 'MESSAGE_CREATE', 'RESUMED']);
});

it.each([
  ['no session_id', () => ({ token: bot.token, seq: 1 })],
  ['a text seq', () => ({ token: bot.token, session_id: 'x', seq: '1' })],
  ['no token', () => ({ session_id: 'x', seq: 1 })],
])('G-33 a RESUME closes 4002 for %s', async (_name, payload) => {
  const client = await open();
  client.send(6, payload());
  expect((await client.closed).code).toBe(4002);
});

describe('G-34 a RESUME of an unknown session', () => {
  it('G-34 is answered with op 9, after which the client may identify on the same connection', async () => {
    const [client, frames] = await resume({ id: 'f'.repeat(32), seq: 1 });
    expect(frames).toMatchObject([{ op: 9, d: false }]);
    await client.ready(bot.token);
  });

  it('G-34 is answered later if there were many, so that their clients do not identify at once', async () => {
    clock.advance(5_000);
    for (let count = 0; count < 51; count += 1) await resume({ id: 'f'.repeat(32), seq: 1 });
    const client = await open();
    client.send(6, { token: bot.token, session_id: 'f'.repeat(32), seq: 1 });
    await client.settled();
    expect(client.frames.map(({ op }) => op)).not.toContain(9);
    await until(() => {
      clock.advance(1);
      return client.frames.some(({ op }) => op === 9);
    });
    clock.advance(5_000);
  });

  it("G-34 does not give access to another bot's session", async () => {
    const session = await lostSession();
    const other = await createBot(server.app);
    const [, frames] = await resume(session, other.token);
    expect(frames).toMatchObject([{ op: 9, d: false }]);
    const [, own] = await resume(session);
    expect(own.at(-1)!.t).toBe('RESUMED');
  });

  it('G-34 is answered with op 9 if an unseen event was dropped', async () => {
    const session = await lostSession();
    await typeOften(4_097);
    const [, frames] = await resume(session);
    expect(frames).toMatchObject([{ op: 9, d: false }]);
  });
});

it.each([1_000, 2 ** 60, -1])('G-35 a RESUME with seq %i closes 4007 and ends the session', async (seq) => {
  const session = await lostSession();
  const client = await open();
  client.send(6, { token: bot.token, session_id: session.id, seq });
  expect((await client.closed).code).toBe(4007);
  const [, frames] = await resume(session);
  expect(frames).toMatchObject([{ op: 9, d: false }]);
});

it('G-36 a RESUME closes 4004 for an invalid token', async () => {
  const session = await lostSession();
  const client = await open();
  client.send(6, { token: 'a.b.c', session_id: session.id, seq: session.seq });
  expect((await client.closed).code).toBe(4004);
});

it('G-37 a RESUME moves a connected session and closes the older connection with 4003', async () => {
  const older = await open();
  const ready = await older.ready(bot.token);
  const [newer, frames] = await resume({ id: ready.d.session_id, seq: older.sequence! });
  expect(frames.at(-1)!.t).toBe('RESUMED');
  expect((await older.closed).code).toBe(4003);
  await speak('here');
  expect((await newer.event('MESSAGE_CREATE')).d.content).toBe('here');
});

describe('G-38 the replay buffer', () => {
  it('G-38 keeps 4,096 events', async () => {
    const session = await lostSession();
    await typeOften(4_095);
    const [, frames] = await resume(session);
    expect(frames).toHaveLength(4_096);
  });

  it('G-38 keeps 4 MiB', async () => {
    const session = await lostSession();
    await speakAtLength(1);
    const [first, begun] = await resume(session);
    const fitting = Math.floor((4 * 1024 * 1024) / Buffer.byteLength(JSON.stringify(begun[0])));
    await first.close(4999);
    await serverHasNoticed();
    await speakAtLength(fitting - 1);
    const [client, frames] = await resume({ ...session, seq: first.sequence! });
    expect(frames).toHaveLength(fitting);
    const seq = client.sequence!;
    await client.close(4999);
    await serverHasNoticed();
    await speakAtLength(fitting + 2);
    const [, late] = await resume({ ...session, seq });
    expect(late).toMatchObject([{ op: 9, d: false }]);
  });

  it('G-38 drops acknowledged events at the next heartbeat', async () => {
    const client = await open();
    const ready = await client.ready(bot.token);
    await speak('one', 'two');
    await client.next((frame) => frame.d?.content === 'two');
    const id = ready.d.session_id;
    await client.settled();
    const [again, kept] = await resume({ id, seq: client.sequence! - 1 });
    expect(kept.map((frame) => frame.d.content ?? frame.t)).toEqual(['two', 'RESUMED']);
    await again.settled();
    await again.settled();
    const [, gone] = await resume({ id, seq: client.sequence! - 1 });
    expect(gone).toMatchObject([{ op: 9, d: false }]);
  });
});
