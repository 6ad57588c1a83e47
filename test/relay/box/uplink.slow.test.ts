import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { topics } from '../../../src/infra/streams/topics.js';
import { emptyFolder, startBox, type TestBox } from '../../harness/box.js';
import { RawCloud, type RawConnection } from '../../harness/raw-cloud.js';
import { createGuild, say } from '../../harness/world.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function openCloud(): Promise<RawCloud> {
  const cloud = await RawCloud.open();
  ends.push(() => cloud.stop());
  return cloud;
}

async function connectBox(): Promise<{ cloud: RawCloud; box: TestBox; connection: RawConnection; session: string }> {
  const cloud = await openCloud();
  const starting = startBox({ cloudUrl: cloud.origin, token: 'secret' });
  await cloud.welcome();
  const box = await starting;
  ends.push(() => box.stop());
  const { connection } = await cloud.welcome();
  const { session } = await connection.next('begin');
  await connection.next('ready');
  return { cloud, box, connection, session };
}

describe('the first start', () => {
  it('R-10 to R-15: sends the token, signs, stores its identity readable by its owner only, and does not send the token again', async () => {
    const cloud = await openCloud();
    const dataDir = await emptyFolder();
    ends.push(() => rm(dataDir, { recursive: true }));
    const starting = startBox({ cloudUrl: cloud.origin, token: 'secret', dataDir });
    const first = await cloud.welcome();
    const box = await starting;
    ends.push(() => box.stop());
    const second = await cloud.welcome();
    expect(first).toMatchObject({ isSigned: true, hello: { token: 'secret', versions: [1] } });
    expect(second).toMatchObject({ isSigned: true, hello: { key: first.hello.key } });
    expect(second.hello.token).toBeUndefined();
    const file = join(dataDir, 'box.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ boxId: '4242', idSpace: 5_000 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('R-6: ends with instructions if the cloud does not admit it', async () => {
    const cloud = await openCloud();
    const starting = startBox({ cloudUrl: cloud.origin, token: 'secret' });
    const connection = await cloud.accept();
    connection.close(4101, 'not admitted');
    await expect(starting).rejects.toThrow(/token in BOX_TOKEN .* newEnrolmentToken/);
  });

  it('R-12: ends if the cloud states another origin', async () => {
    const cloud = await openCloud();
    const starting = startBox({ cloudUrl: cloud.origin, token: 'secret' });
    const refused = expect(starting).rejects.toThrow(/https:\/\/other\.example/);
    const connection = await cloud.accept();
    await connection.next('hello');
    const challenge = { op: 'challenge', version: 1, features: [], nonce: Buffer.alloc(32).toString('base64url') };
    connection.send({ ...challenge, origin: 'https://other.example' });
    await refused;
    expect(connection.received.map(({ op }) => op)).toEqual(['hello']);
  });

  it('is refused for a damaged identity, without printing the key', async () => {
    const dataDir = await emptyFolder();
    ends.push(() => rm(dataDir, { recursive: true }));
    await writeFile(join(dataDir, 'box.json'), '{"privateKey":"abc"');
    await expect(startBox({ cloudUrl: 'http://127.0.0.1:9', dataDir })).rejects.toThrow(/box\.json is damaged/);
  });
});

describe('a lost connection', () => {
  it('R-31, R-41: is followed by one that continues where the cloud stopped', async () => {
    const { cloud, box, connection, session } = await connectBox();
    const guild = await createGuild(box.app);
    const { s } = await connection.next('announce');
    connection.cut();
    await say(box.app, guild, guild.owner, 'meanwhile');
    const next = await cloud.welcome({ events: { session, seq: s } });
    expect(await next.connection.next('resume')).toEqual({ op: 'resume', session });
    const told = await next.connection.next('dispatch', ({ t }) => t === 'MESSAGE_CREATE');
    expect(told.d.content).toBe('meanwhile');
    const numbers = next.connection.received.flatMap((message) => (message.s === undefined ? [] : [message.s]));
    expect(numbers).toEqual(numbers.map((_number, index) => s + 1 + index));
  });

  it('R-31: is followed by a new session with all guilds if the cloud does not know the session', async () => {
    const { cloud, box, connection, session } = await connectBox();
    const guild = await createGuild(box.app);
    await connection.next('announce');
    connection.cut();
    const next = await cloud.welcome({ events: { session: 'another', seq: 3 } });
    expect((await next.connection.next('begin')).session).not.toBe(session);
    const { guild: announced } = await next.connection.next('announce');
    expect(announced).toMatchObject({ id: String(guild.id), owner_id: String(guild.owner.id), bots: [] });
    expect(announced.channels).toHaveLength(2);
    expect(await next.connection.next('ready')).toMatchObject({ s: 2 });
  });

  it('R-2: is followed by one that leaves out guilds and events that are too long, and numbers the others', async () => {
    const { cloud, box, connection } = await connectBox();
    const guild = await createGuild(box.app);
    const { s } = await connection.next('announce');
    const long = await createGuild(box.app);
    await connection.next('announce');
    const data = JSON.stringify({ guild_id: String(guild.id), content: 'x'.repeat(2 ** 20) });
    const event = {
      type: 'MESSAGE_CREATE',
      guildId: String(guild.id),
      data,
      topic: 'guild',
      audience: null,
      invalidates: [],
    } as const;
    box.app.bus.publish(topics.guild(guild.id), event);
    await say(box.app, guild, guild.owner, 'short');
    expect(await connection.next('dispatch')).toMatchObject({ s: s + 2, d: { content: 'short' } });
    await box.app.db.writer.guild.update({ where: { id: long.id }, data: { name: 'x'.repeat(2 ** 20) } });
    connection.cut();
    const next = await cloud.welcome();
    expect(await next.connection.next('ready')).toMatchObject({ s: 2 });
    const announced = next.connection.received.filter(({ op }) => op === 'announce');
    expect(announced).toMatchObject([{ s: 1, guild: { id: String(guild.id) } }]);
  });

  it.each([{ boxId: '4243' }, { idSpace: 5_001 }])(
    'R-15: closes 4104 if the cloud takes it for another box (%j)',
    async (terms) => {
      const { cloud, connection } = await connectBox();
      connection.cut();
      const next = await cloud.welcome(terms);
      expect(await next.connection.closed).toMatchObject({ code: 4104 });
    },
  );

  it('R-20: closes 4002 for a request on a stream that is in use', async () => {
    const { connection } = await connectBox();
    const bot = { user: { id: '1000', username: 'x', bot: true }, application_id: '1000', message_content: true };
    const request = {
      op: 'request',
      id: 1,
      method: 'POST',
      path: '/channels/5/messages',
      body: 10,
      bot,
      guild_id: '5',
    };
    connection.send({ ...request, budget_ms: 5_000, key: 'one' });
    connection.send({ op: 'call', id: 1, name: 'fly', input: {}, budget_ms: 5_000, key: 'two' });
    expect(await connection.closed).toMatchObject({ code: 4002 });
  });

  it.each([
    [4102, /deleted in the cloud/],
    [4103, /another box is running with a copy/],
  ])('R-6, R-16: with %d is followed by no other, and the box logs what to do', async (code, reason) => {
    const { cloud, box, connection } = await connectBox();
    connection.close(code, 'as it is');
    expect((await box.refused).message).toMatch(reason);
    expect(cloud.connections).toBe(2);
  });
});

describe('R-16: a connection that is replaced by a later one of the same box, which it gave up during its handshake', () => {
  it('is followed by another', async () => {
    const { cloud, connection } = await connectBox();
    connection.cut();
    (await cloud.accept()).cut();
    const next = await cloud.welcome();
    await next.connection.next('begin');
    next.connection.close(4103, 'replaced');
    const last = await cloud.welcome();
    await last.connection.next('begin');
  });
});

describe('R-40: a cloud that announces its stop', () => {
  it('keeps its open requests, and gets the next connection', async () => {
    const { cloud, box, connection, session } = await connectBox();
    connection.send({ op: 'going_away', retry_after_ms: 10 });
    const next = await cloud.welcome({ events: { session, seq: 1 } });
    await next.connection.next('resume');
    connection.send({ op: 'call', id: 1, name: 'fly', input: {}, budget_ms: 5_000, key: 'k' });
    expect(await connection.answer(1)).toMatchObject({ status: 404 });
    connection.close(4103, 'replaced');
    await connection.closed;
    await createGuild(box.app);
    expect(await next.connection.next('announce')).toMatchObject({ s: 2 });
  });
});

describe('R-40: a box that stops', () => {
  it('announces it and closes 4000', async () => {
    const { box, connection } = await connectBox();
    const stopped = box.stop();
    expect(await connection.next('going_away')).toMatchObject({ op: 'going_away' });
    expect(await connection.closed).toMatchObject({ code: 4000 });
    await stopped;
  });

  it('finishes open requests before it closes', async () => {
    const { box, connection } = await connectBox();
    const user = { id: '1000', username: 'Helper', global_name: null, avatar: null, bot: true };
    connection.send({
      ...{ op: 'request', id: 1, method: 'POST', path: '/channels/5/messages', query: {}, key: 'k', budget_ms: 8_000 },
      ...{ headers: { 'content-type': 'application/json' }, body: 2, guild_id: '5' },
      bot: { user, application_id: '1000', message_content: true },
    });
    connection.send({ op: 'ping', t: 7 });
    await connection.next('pong', ({ t }) => t === 7);
    const stopped = box.stop();
    await connection.next('going_away');
    connection.piece(1, '{}');
    expect(await connection.answer(1)).toMatchObject({ status: 404 });
    expect(await connection.closed).toMatchObject({ code: 4000 });
    await stopped;
  });
});
