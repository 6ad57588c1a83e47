import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { banMember } from '../../../src/domain/bans/index.js';
import { createEmoji } from '../../../src/domain/emojis/index.js';
import { updateGuild } from '../../../src/domain/guilds/index.js';
import { idSpaceOf } from '../../../src/infra/ids/ids.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { startBox, type TestBox } from '../../harness/box.js';
import { PIXEL } from '../../harness/images.js';
import { type Message, RawCloud, type RawConnection } from '../../harness/raw-cloud.js';
import { callOf, createGuild, say, type TestGuild } from '../../harness/world.js';

let cloud: RawCloud;
let box: TestBox;
let connection: RawConnection;
let guild: TestGuild;
let streams = 0;

const BOT = { id: '1000', username: 'Helper', global_name: null, avatar: null, bot: true };

beforeAll(async () => {
  cloud = await RawCloud.open();
  const starting = startBox({ cloudUrl: cloud.origin, token: 'token' });
  await cloud.welcome();
  box = await starting;
  ({ connection } = await cloud.welcome());
  await connection.next('ready');
  guild = await createGuild(box.app);
  await connection.next('announce');
});
afterAll(async () => {
  await box.stop();
  await cloud.stop();
});

function call(name: string, input: object, more: object = {}) {
  const id = ++streams;
  connection.send({ op: 'call', id, name, input, budget_ms: 12_000, key: randomUUID(), ...more });
  return connection.answer(id);
}

function request(method: string, path: string, body: string | null = null, more: object = {}) {
  const id = ++streams;
  connection.send({
    op: 'request',
    id,
    method,
    path,
    query: {},
    headers: body === null ? {} : { 'content-type': 'application/json' },
    body: body === null ? 0 : Buffer.byteLength(body),
    bot: { user: BOT, application_id: BOT.id, message_content: true },
    guild_id: String(guild.id),
    budget_ms: 12_000,
    key: randomUUID(),
    ...more,
  });
  if (body !== null) connection.piece(id, body);
  return connection.answer(id);
}

describe('an image that the cloud requests (R-27)', () => {
  it('is answered in base64, an emoji by its format, and a missing image is null', async () => {
    const owner = callOf(box.app, guild.owner);
    await updateGuild(owner, { guildId: guild.id, icon: PIXEL });
    const { emoji } = await createEmoji(owner, { guildId: guild.id, name: 'dot', image: async () => PIXEL });
    const { iconHash } = await box.app.db.reader.guild.findUniqueOrThrow({ where: { id: guild.id } });
    const icon = { of: 'icons', id: String(guild.id), hash: iconHash, form: 'png' };
    const ofEmoji = { of: 'emojis', id: String(emoji.id), form: 'png' };
    for (const input of [icon, ofEmoji]) {
      const { status, body } = await call('picture', input);
      expect([status, Buffer.from(JSON.parse(body).data, 'base64').toString('latin1', 1, 4)]).toEqual([200, 'PNG']);
    }
    for (const input of [
      { ...icon, hash: 'a'.repeat(32) },
      { ...ofEmoji, form: 'moving' },
    ]) {
      expect(await call('picture', input)).toMatchObject({ status: 200, body: 'null' });
    }
    for (const input of [
      { ...icon, of: '../icons' },
      { ...icon, hash: '../x' },
      { ...ofEmoji, form: 'svg' },
    ]) {
      expect((await call('picture', input)).status).toBe(400);
    }
  });
});

describe('the CDN of a box', () => {
  it('redirects requests for images of the cloud to the cloud, and no others', async () => {
    const get = (path: string) => fetch(`${box.origin}/cdn/${path}`, { redirect: 'manual' });
    const hash = 'a'.repeat(32);
    for (const path of [
      `avatars/${BOT.id}/${hash}.png?size=64`,
      `app-icons/${BOT.id}/${hash}.webp`,
      'emojis/1000.png',
    ]) {
      const response = await get(path);
      expect([response.status, response.headers.get('location')]).toEqual([302, `${cloud.origin}/cdn/${path}`]);
    }
    for (const path of [`avatars/${guild.owner.id}/${hash}.png`, `avatars/${BOT.id}/x.png`, `emojis/${guild.id}.png`]) {
      expect((await get(path)).status, path).toBe(404);
    }
    const page = await fetch(`${box.origin}/portal/`);
    expect(page.headers.get('content-security-policy')).toContain(
      `blob: ${new URL(box.origin).origin} ${cloud.origin};`,
    );
  });
});

const install = (bot: object = BOT) =>
  call('install_bot', { guild_id: String(guild.id), bot, name: 'Helper', permissions: '68608' });

const isEvent = (t: string) => (message: Message) => message.t === t;

describe('R-15: ids', () => {
  it('of a box have the id space of the box', () => {
    expect([guild.id, guild.channel.id, guild.owner.id].map(idSpaceOf)).toEqual([5_000, 5_000, 5_000]);
  });
});

describe('R-21: the response', () => {
  const tookMs = (id: number) =>
    connection.received.find((message) => message.op === 'response' && message.id === id)?.took_ms;

  it('has the working time of the box, unless another box did the work', async () => {
    const key = randomUUID();
    await request('POST', `/channels/${guild.channel.id}/messages`, '{}', { key });
    const first = streams;
    await request('POST', `/channels/${guild.channel.id}/messages`, '{}', { key });
    expect([tookMs(first), tookMs(streams)]).toEqual([expect.any(Number), undefined]);
  });
});

describe('R-27: calls', () => {
  it('install_bot makes the bot a member with a managed role, and the box sends both events', async () => {
    expect(await install()).toMatchObject({ status: 200, body: '{}' });
    const member = await connection.next('dispatch', isEvent('GUILD_MEMBER_ADD'));
    expect(member.d).toMatchObject({ guild_id: String(guild.id), user: { id: '1000', username: 'Helper', bot: true } });
    const role = await box.app.db.reader.role.findFirstOrThrow({ where: { guildId: guild.id, managed: true } });
    expect(role).toMatchObject({ name: 'Helper', permissions: 68_608n, applicationId: 1_000n });
    expect(member.d.roles).toEqual([String(role.id)]);
  });

  it('a repeated install_bot sets the permissions of the role again and makes no second role', async () => {
    await call('install_bot', { guild_id: String(guild.id), bot: BOT, name: 'Helper', permissions: '3072' });
    const roles = await box.app.db.reader.role.findMany({ where: { guildId: guild.id, managed: true } });
    expect(roles.map(({ permissions }) => permissions)).toEqual([3_072n]);
    await install();
  });

  it('member returns a member, and null for an unknown user', async () => {
    const shown = await call('member', { guild_id: String(guild.id), user_id: String(guild.owner.id) });
    expect(JSON.parse(shown.body)).toMatchObject({ user: { id: String(guild.owner.id) } });
    expect(await call('member', { guild_id: String(guild.id), user_id: '7' })).toMatchObject({
      status: 200,
      body: 'null',
    });
  });

  it('of an unknown name are 404, and input that cannot be used is 400', async () => {
    expect(await call('fly', {})).toMatchObject({ status: 404 });
    expect(await call('remove_bot', { guild_id: 'x' })).toMatchObject({ status: 400 });
    expect(await call('guild', {})).toMatchObject({ status: 400 });
  });

  it('are refused with a specific code: for a banned bot, and for an unknown guild', async () => {
    const banned = { ...BOT, id: '1001' };
    await install(banned);
    await banMember(callOf(box.app, guild.owner), { guildId: guild.id, userId: 1_001n });
    const refused = await install(banned);
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([403, 40007]);
    const elsewhere = { guild_id: '7', bot: BOT, name: 'Helper', permissions: '0' };
    const unknown = await call('install_bot', elsewhere);
    expect([unknown.status, JSON.parse(unknown.body).code]).toEqual([404, 10004]);
  });

  it('never make a user of the box a bot', async () => {
    const { id } = guild.owner;
    expect(await install({ ...BOT, id: String(id) })).toMatchObject({ status: 403 });
    expect(await box.app.db.reader.user.findUnique({ where: { id } })).toMatchObject({ bot: false });
  });
});

describe('requests', () => {
  const messages = () => `/channels/${guild.channel.id}/messages`;

  it('R-26: run as the bot, and the message comes back as an event', async () => {
    await install();
    const answer = await request('POST', messages(), JSON.stringify({ content: 'héllo' }));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    const event = await connection.next('dispatch', ({ d }) => d?.content === 'héllo');
    expect(event.d).toMatchObject({ content: 'héllo', author: { id: '1000' }, guild_id: String(guild.id) });
    expect(JSON.parse(answer.body)).toMatchObject({ id: event.d.id });
  });

  it('R-20: without a body behave as in the cloud, with any content type', async () => {
    const typed = { headers: { 'content-type': 'application/octet-stream' } };
    expect(await request('POST', `/channels/${guild.channel.id}/typing`, null, typed)).toMatchObject({ status: 204 });
    expect(await request('POST', messages(), null, typed)).toMatchObject({
      status: 400,
      body: expect.stringContaining('50006'),
    });
  });

  it('R-26: update the copy of the bot on the box', async () => {
    const user = { ...BOT, username: 'Renamed', avatar: 'abc' };
    await request('GET', `/guilds/${guild.id}`, null, { bot: { user, application_id: '1000', message_content: true } });
    expect(await box.app.db.reader.user.findUnique({ where: { id: 1_000n } })).toMatchObject({
      username: 'Renamed',
      avatarHash: 'abc',
    });
  });

  it('R-25: with the same key run once', async () => {
    const key = { key: randomUUID() };
    const body = JSON.stringify({ content: 'once' });
    const answers = await Promise.all([1, 2].map(() => request('POST', messages(), body, key)));
    const later = await request('POST', messages(), body, key);
    expect(new Set([...answers, later].map((answer) => JSON.parse(answer.body).id)).size).toBe(1);
    const { channel } = guild;
    expect(await box.app.db.reader.message.count({ where: { channelId: channel.id, content: 'once' } })).toBe(1);
  });

  it('R-25: that only read run again, and take no space from stored results', async () => {
    const key = { key: randomUUID() };
    const first = await request('GET', `/guilds/${guild.id}`, null, key);
    await box.app.db.writer.guild.update({ where: { id: guild.id }, data: { description: 'Renewed' } });
    const second = await request('GET', `/guilds/${guild.id}`, null, key);
    expect([first, second].map(({ body }) => JSON.parse(body).description)).toEqual([null, 'Renewed']);
  });

  it('R-23: whose time budget is over do not begin, get 504, and run when their key comes again', async () => {
    const key = randomUUID();
    const body = JSON.stringify({ content: 'late' });
    const id = ++streams;
    const sent = { op: 'request', id, method: 'POST', path: messages(), query: {}, guild_id: String(guild.id), key };
    const bot = { user: BOT, application_id: BOT.id, message_content: true };
    const headers = { 'content-type': 'application/json' };
    connection.send({ ...sent, bot, headers, body: body.length, budget_ms: 1 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    connection.piece(id, body);
    expect(await connection.answer(id)).toMatchObject({ status: 504 });
    const count = () => box.app.db.reader.message.count({ where: { channelId: guild.channel.id, content: 'late' } });
    expect(await count()).toBe(0);
    expect(await request('POST', messages(), body, { key })).toMatchObject({ status: 200 });
    expect(await count()).toBe(1);
  });

  it('R-23: that were answered before their body came may be cancelled then, and their number used again', async () => {
    const id = ++streams;
    const bot = { user: BOT, application_id: '2000', message_content: true };
    const more = {
      id,
      method: 'POST',
      path: `/channels/${guild.channel.id}/messages`,
      query: {},
      headers: {},
      body: 100,
    };
    const ask = (rest: object) =>
      connection.send({
        op: 'request',
        ...{ ...more, guild_id: String(guild.id), budget_ms: 12_000, key: randomUUID(), ...rest },
      });
    ask({ bot });
    expect(await connection.answer(id)).toMatchObject({ status: 403 });
    connection.piece(id, 'x'.repeat(10));
    connection.send({ op: 'cancel', id });
    const content = JSON.stringify({ content: 'again' });
    const headers = { 'content-type': 'application/json' };
    ask({ bot: { ...bot, application_id: BOT.id }, body: content.length, headers });
    connection.piece(id, content);
    expect((await connection.answer(id)).status).toBe(200);
  });

  it('R-23: that are cancelled before their body came do not begin', async () => {
    const id = ++streams;
    const bot = { user: BOT, application_id: BOT.id, message_content: true };
    const sent = { op: 'request', id, method: 'POST', path: messages(), query: {}, guild_id: String(guild.id) };
    connection.send({
      ...sent,
      bot,
      headers: { 'content-type': 'application/json' },
      body: 10,
      budget_ms: 9_000,
      key: 'c',
    });
    connection.send({ op: 'cancel', id });
    expect(await connection.next('cancelled')).toEqual({ op: 'cancelled', id });
  });

  it.each([
    ['of another guild', () => '/guilds/5', 404],
    ['of the cloud', () => '/gateway/bot', 404],
    ['of no row', () => '/nothing', 404],
    ['that boxes have not', () => `/guilds/${guild.id}/vanity-url`, 501, 'PATCH'],
  ])('for a path %s are answered as the cloud does', async (_what, path, status, method = 'GET') => {
    expect(await request(method, path(), method === 'PATCH' ? '{}' : null)).toMatchObject({ status });
  });
});

describe('events', () => {
  it("R-34: of a user's message arrive complete and in order", async () => {
    for (const content of ['a', 'b', 'c']) await say(box.app, guild, guild.owner, content);
    const created = [];
    while (created.length < 3) {
      const { s, d } = await connection.next('dispatch', isEvent('MESSAGE_CREATE'));
      if (['a', 'b', 'c'].includes(d.content)) created.push({ s, content: d.content });
    }
    expect(created.map(({ content }) => content)).toEqual(['a', 'b', 'c']);
  });

  it('R-30: are numbered from 1 without gaps', () => {
    const numbers = connection.received.flatMap(({ s }) => (s === undefined ? [] : [s]));
    expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
  });
});

describe('R-27: remove_bot', () => {
  it('ends the membership and removes the role, and succeeds without a membership', async () => {
    const remove = () => call('remove_bot', { guild_id: String(guild.id), bot_id: '1000' });
    expect(await remove()).toMatchObject({ status: 200, body: '{}' });
    await connection.next('dispatch', isEvent('GUILD_MEMBER_REMOVE'));
    expect(await box.app.db.reader.role.count({ where: { guildId: guild.id, managed: true } })).toBe(0);
    expect(await remove()).toMatchObject({ status: 200 });
  });
});

describe('R-31: an event that is lost', () => {
  it('begins a new session with all guilds', async () => {
    const { session } = await connection.next('begin');
    box.app.bus.publishCommitted(topics.guild(guild.id), null, [], true);
    await connection.closed;
    const next = await cloud.welcome({ events: { session, seq: 1 } });
    expect((await next.connection.next('begin')).session).not.toBe(session);
    expect((await next.connection.next('announce')).guild.id).toBe(String(guild.id));
  });
});
