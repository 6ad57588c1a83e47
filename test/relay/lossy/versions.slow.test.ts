import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startBox, type TestBox } from '../../harness/box.js';
import { CONVERSATIONS, readConversation } from '../../harness/conversations.js';
import { announce, connectNewBox, guildOf, makeBox } from '../../harness/hand-box.js';
import { RawCloud, type RawConnection } from '../../harness/raw-cloud.js';
import { greet, openRelay } from '../../harness/raw-relay.js';
import { startServer, type TestServer } from '../../harness/server.js';

const FUTURE = { region: 'attic', nested: { deep: [1, { more: null }] }, flags: 2 ** 40 };

/** Close codes that a connection may end with after any input. */
const DOCUMENTED = [4002, 4003, 4004, 4005, 4100, 4101, 4102, 4103, 4104];

/** Messages of the recorded conversations, with unknown fields added. */
const recorded = (name: string, from: 'box' | 'cloud') =>
  readConversation(name).flatMap((frame) => (frame.from === from ? [withFuture(frame.message)] : []));

function withFuture(message: string | Buffer): string | Buffer {
  return typeof message === 'string' ? JSON.stringify({ ...JSON.parse(message), ...FUTURE }) : message;
}

describe("the cloud's end", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it.each([[[1, 2]], [[2, 1]], [[7, 1, 2]]])('R-11: accepts version 1 of %j', async (versions) => {
    const { token } = await makeBox(server);
    const { relay, challenge } = await greet(server.origin, { token, versions, features: ['folds', 'threads-2'] });
    expect(challenge).toMatchObject({ version: 1, features: [] });
    relay.cut();
  });

  it.each([[[2]], [[]], [[0, 3]]])('R-11: closes 4100 for %j', async (versions) => {
    const { token } = await makeBox(server);
    const relay = await openRelay(server.origin);
    const hello = { op: 'hello', versions, features: [], software: 'test', instance: 'x', token };
    relay.send({ ...hello, key: Buffer.alloc(32, 1).toString('base64url') });
    expect(await relay.closed).toMatchObject({ code: 4100 });
  });

  it('R-3: accepts messages with unknown fields, from hello on', async () => {
    const { token } = await makeBox(server);
    const { relay, welcome } = await greet(server.origin, { token, hello: FUTURE, proof: FUTURE });
    const space = BigInt(welcome.id_space);
    const own = (n: number) => String((1_500_000_000_000n << 22n) | (space << 8n) | BigInt(n));
    const guild = { id: own(1), name: 'Den', icon: null, owner_id: own(2), channels: [own(3)], bots: [], ...FUTURE };
    relay.send({ op: 'begin', session: 's', ...FUTURE });
    relay.send({ op: 'announce', s: 1, guild, ...FUTURE });
    relay.send({ op: 'ready', s: 2, ...FUTURE });
    relay.send({ op: 'dispatch', s: 3, t: 'THREAD_CREATE', d: {}, ...FUTURE });
    relay.send({ op: 'ping', t: 4, ...FUTURE });
    relay.send({ op: 'fold', ...FUTURE });
    expect(await relay.next('unknown')).toEqual({ op: 'unknown', was: 'fold' });
    for (let s = 0; s < 3; ) ({ s } = await relay.next('ack'));
    expect(await server.app.boxRoutes.ofGuild(BigInt(guild.id))).not.toBeNull();
    relay.cut();
  });

  it.each(CONVERSATIONS)(
    'accepts or refuses each message of a box in the conversation %s, with a documented code',
    async (name) => {
      for (const line of recorded(name, 'box')) {
        const box = await connectNewBox(server);
        await announce(box, [guildOf(box)]);
        box.relay.send(line);
        box.relay.send({ op: 'ping', t: 1 });
        const outcome = await Promise.race([box.relay.closed, box.relay.next('pong').catch(() => box.relay.closed)]);
        if ('code' in outcome) expect(DOCUMENTED).toContain(outcome.code);
        box.relay.cut();
      }
      expect((await connectNewBox(server)).welcome.generation).toBe(1);
    },
  );
});

describe("the box's end", () => {
  let cloud: RawCloud;
  let box: TestBox;
  let connection: RawConnection;
  const ends: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    cloud = await RawCloud.open();
    const starting = startBox({ cloudUrl: cloud.origin, token: 'token', random: () => 0 });
    await cloud.welcome();
    box = await starting;
    ({ connection } = await cloud.welcome());
    await connection.next('ready');
  });
  afterAll(async () => {
    await box.stop();
    await cloud.stop();
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  it('R-3: accepts messages with unknown fields', async () => {
    connection.send({ op: 'notice', ...FUTURE });
    expect(await connection.next('unknown')).toEqual({ op: 'unknown', was: 'notice' });
    connection.send({ op: 'call', id: 1, name: 'guild_colours', input: {}, budget_ms: 5_000, key: 'c', ...FUTURE });
    expect(await connection.answer(1)).toMatchObject({ status: 404 });
    const user = { id: '1000', username: 'tally', global_name: null, avatar: null, bot: true, ...FUTURE };
    const asked = {
      op: 'request',
      id: 2,
      method: 'GET',
      path: '/guilds/5',
      query: {},
      headers: {},
      body: 0,
      guild_id: '5',
    };
    const bot = { user, application_id: '1000', message_content: true, ...FUTURE };
    connection.send({ ...asked, bot, budget_ms: 5_000, key: 'd', ...FUTURE });
    expect(await connection.answer(2)).toMatchObject({ status: 404 });
  });

  it.each(CONVERSATIONS)(
    'accepts or refuses each message of a cloud in the conversation %s, with a documented code',
    async (name) => {
      for (const line of recorded(name, 'cloud')) {
        connection.raw(line);
        connection.send({ op: 'call', id: 4_000_000_000, name: 'none', input: {}, budget_ms: 5_000, key: 'k' });
        const answered = connection.answer(4_000_000_000).then(() => null);
        const outcome = await Promise.race([connection.closed, answered]);
        if (outcome !== null) expect(DOCUMENTED).toContain(outcome.code);
        connection.cut();
        ({ connection } = await cloud.welcome());
        await connection.next('ready');
      }
    },
  );

  it('R-11: stops if the cloud chooses a version that it does not speak', async () => {
    const other = await RawCloud.open();
    ends.push(() => other.stop());
    const starting = startBox({ cloudUrl: other.origin, token: 'token' });
    const refused = expect(starting).rejects.toThrow(/no protocol version in common/);
    const newer = await other.accept();
    await newer.next('hello');
    const nonce = Buffer.alloc(32).toString('base64url');
    newer.send({ op: 'challenge', version: 2, features: ['folds'], nonce, origin: other.origin });
    expect(await newer.closed).toMatchObject({ code: 4100 });
    await refused;
  });
});
