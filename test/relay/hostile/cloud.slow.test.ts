import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM_ID } from '../../../src/domain/platform/index.js';
import { CLOUD } from '../../../src/rest-compat/route.js';
import { routes } from '../../../src/rest-compat/table.js';
import { startBox, type TestBox } from '../../harness/box.js';
import { RawCloud, type RawConnection, type Terms } from '../../harness/raw-cloud.js';
import { addMember, createBot, createGuild, say, type TestGuild } from '../../harness/world.js';

let cloud: RawCloud;
let box: TestBox;
let connection: RawConnection;
/** The bot is a member of the first guild and not of the second. */
let guild: TestGuild;
let secret: TestGuild;
let secretMessage: string;
let streams = 0;

const BOT = { id: '1000', username: 'Helper', global_name: null, avatar: null, bot: true };
const identity = (more: object = {}) => ({ user: BOT, application_id: BOT.id, message_content: true, ...more });

beforeAll(async () => {
  cloud = await RawCloud.open();
  const starting = startBox({ cloudUrl: cloud.origin, token: 'token' });
  await cloud.welcome();
  box = await starting;
  await serve();
  guild = await createGuild(box.app);
  secret = await createGuild(box.app);
  secretMessage = String((await say(box.app, secret, secret.owner, 'hidden')).id);
  await connection.next('announce');
  await call('install_bot', { guild_id: String(guild.id), bot: BOT, name: 'Helper', permissions: '8' });
});
afterAll(async () => {
  await box.stop();
  await cloud.stop();
});

async function serve(terms: Terms = {}): Promise<void> {
  ({ connection } = await cloud.welcome(terms));
  await connection.next('ready');
}

function call(name: string, input: object) {
  const id = ++streams;
  connection.send({ op: 'call', id, name, input, budget_ms: 12_000, key: randomUUID() });
  return connection.answer(id);
}

function ask(method: string, path: string, more: object = {}, json?: object) {
  const id = ++streams;
  const body = json === undefined ? '' : JSON.stringify(json);
  connection.send({
    op: 'request',
    id,
    method,
    path,
    query: {},
    headers: { 'content-type': 'application/json' },
    body: body.length,
    bot: identity(),
    guild_id: String(guild.id),
    budget_ms: 12_000,
    key: randomUUID(),
    ...more,
  });
  if (body) connection.piece(id, body);
  return connection.answer(id);
}

const filled = (path: string) =>
  path.replace(':guildId', String(guild.id)).replace(':channelId', String(guild.channel.id)).replace(/:\w+/g, BOT.id);

describe('a cloud that requests more than its bots may', () => {
  it('gets 404 for every route that runs in the cloud', async () => {
    const rows = routes.filter(({ where }) => where === CLOUD);
    expect(rows.length).toBeGreaterThan(20);
    for (const { method, path } of rows) expect([path, (await ask(method, filled(path))).status]).toEqual([path, 404]);
  });

  it.each<[string, () => string, object?]>([
    ['another guild', () => `/guilds/${secret.id}`],
    ['its channels', () => `/guilds/${secret.id}/channels`],
    ['a channel of another guild', () => `/channels/${secret.channel.id}`],
    ['its messages', () => `/channels/${secret.channel.id}/messages`],
    ['a message of another guild in this channel', () => `/channels/${guild.channel.id}/messages/${secretMessage}`],
    ['a path that leads back', () => `/channels/${guild.channel.id}/../${secret.channel.id}/messages`],
    ['one that is encoded', () => `/channels/${guild.channel.id}%2f..%2f${secret.channel.id}/messages`],
    ['one that is encoded twice', () => `/channels/%252e%252e/${secret.channel.id}/messages`],
    ['two strokes', () => `//channels/${secret.channel.id}/messages`],
    ['an address', () => `https://a.example/channels/${secret.channel.id}`],
    ['GraphQL', () => '/../graphql'],
    ['a file of the machine', () => '/../../../../etc/passwd'],
  ])('gets nothing of %s', async (_what, path) => {
    const { status, body } = await ask('GET', path());
    expect([400, 403, 404]).toContain(status);
    expect(body).not.toContain('hidden');
    expect(body).not.toContain(String(secret.owner.id));
  });

  it('gets nothing of another guild by a wrong guild id, if the bot is no member there', async () => {
    const about = { guild_id: String(secret.id) };
    for (const path of [`/guilds/${secret.id}/members/@me`, `/channels/${secret.channel.id}/messages`]) {
      const { status, body } = await ask('GET', path, about);
      expect([403, 404]).toContain(status);
      expect(body).not.toContain('hidden');
    }
    const said = await ask('POST', `/channels/${secret.channel.id}/messages`, about, { content: 'x' });
    expect([403, 404]).toContain(said.status);
  });

  it('cannot show a message of another guild by replying to it', async () => {
    const reference = { channel_id: String(secret.channel.id), message_id: secretMessage, guild_id: String(secret.id) };
    for (const type of [0, 1]) {
      const json = { content: 'x', message_reference: { ...reference, type } };
      const { body } = await ask('POST', `/channels/${guild.channel.id}/messages`, {}, json);
      expect(body).not.toContain('hidden');
    }
  });

  it.each<[string, () => object]>([
    [
      'a person of the box',
      () => ({ user: { ...BOT, id: String(guild.owner.id) }, application_id: String(guild.owner.id) }),
    ],
    ['a person who says to be a bot', () => ({ user: { ...BOT, id: String(guild.owner.id), bot: true } })],
    ['a bot with the application of another', () => ({ application_id: '2000' })],
  ])('runs nothing as %s', async (_what, bot) => {
    const json = { content: 'in the name of' };
    const { status } = await ask('POST', `/channels/${guild.channel.id}/messages`, { bot: identity(bot()) }, json);
    expect(status).toBe(403);
    expect(await box.app.db.reader.message.count({ where: { content: json.content } })).toBe(0);
    expect(await box.app.db.reader.user.findUnique({ where: { id: guild.owner.id } })).toMatchObject({ bot: false });
  });

  it('runs nothing as a bot of the box', async () => {
    const own = await createBot(box.app);
    await addMember(box.app, guild.id, own.user).catch(() => {});
    const bot = identity({ user: { ...BOT, id: String(own.id) }, application_id: String(own.id) });
    expect((await ask('GET', `/guilds/${guild.id}`, { bot })).status).toBe(403);
  });

  it('R-26: has no access to the platform of the box or to bots of the box, whatever their ids', async () => {
    const { app } = box;
    // Ids without the id space of the box, as in an instance that became a box.
    const own = await app.db.writer.user.create({ data: { id: 4_000n, username: 'ours', bot: true } });
    const facts = { name: 'ours', publicKey: '', privateKey: '', ownerUserId: guild.owner.id };
    const lists = { serverInstallScopes: [], userInstallScopes: [], redirectUris: [] };
    await app.db.writer.application.create({ data: { id: own.id, ...facts, ...lists } });
    await addMember(app, guild.id, own);
    const platform = await app.db.reader.user.findUniqueOrThrow({ where: { id: PLATFORM_ID } });
    for (const user of [platform, own]) {
      const bot = { ...BOT, id: String(user.id) };
      const input = { guild_id: String(guild.id), bot, name: 'Mallory', permissions: '8' };
      expect((await call('install_bot', input)).status).toBe(403);
      const as = { bot: identity({ user: bot, application_id: bot.id }) };
      expect((await ask('GET', `/guilds/${guild.id}`, as)).status).toBe(403);
      expect(await app.db.reader.user.findUnique({ where: { id: user.id } })).toEqual(user);
    }
    expect((await call('remove_bot', { guild_id: String(guild.id), bot_id: '4000' })).status).toBe(200);
    const memberships = await app.db.reader.member.count({ where: { guildId: guild.id, userId: own.id } });
    expect(memberships).toBe(1);
  });

  it('executes a webhook in its own channel only', async () => {
    const to = (channelId: bigint) => ({ webhook: { id: '3000', channel_id: String(channelId) } });
    const json = { content: 'by the hook' };
    expect((await ask('POST', '/webhooks/3000/-', to(guild.channel.id), json)).status).toBe(200);
    expect((await ask('POST', '/webhooks/3000/-', to(secret.channel.id), json)).status).toBe(404);
    expect((await ask('POST', '/webhooks/3001/-', to(guild.channel.id), json)).status).toBe(404);
    expect((await ask('POST', '/webhooks/3000/-', {}, json)).status).toBe(404);
    for (const [method, path] of [
      ['POST', `/channels/${guild.channel.id}/messages`],
      ['GET', `/channels/${guild.channel.id}/messages`],
      ['DELETE', `/guilds/${guild.id}/members/${guild.owner.id}`],
    ] as const) {
      const sent = method === 'POST' ? json : undefined;
      expect([path, (await ask(method, path, to(guild.channel.id), sent)).status]).toEqual([path, 404]);
    }
    expect(await box.app.db.reader.message.count({ where: { content: json.content } })).toBe(1);
  });

  it('gets no answer to an unknown call or to invalid input', async () => {
    for (const name of ['eval', 'constructor', '__proto__', 'toString'])
      expect((await call(name, {})).status).toBe(404);
    const input = {
      guild_id: String(guild.id),
      bot: { ...BOT, id: String(guild.owner.id) },
      name: 'x',
      permissions: '8',
    };
    expect((await call('install_bot', input)).status).toBe(403);
    const remove = { guild_id: String(guild.id), bot_id: String(guild.owner.id) };
    await call('remove_bot', remove);
    expect(await box.app.guilds.member(guild.id, guild.owner.id)).not.toBeNull();
  });
});

describe('a cloud that floods closes 4002', () => {
  const request = (id: number, body = 0) => ({
    op: 'request',
    id,
    method: 'POST',
    path: `/channels/${guild.channel.id}/messages`,
    query: {},
    headers: {},
    body,
    bot: identity(),
    guild_id: String(guild.id),
    budget_ms: 12_000,
    key: randomUUID(),
  });

  it.each<[string, () => void]>([
    ['more requests than it said', () => Array.from({ length: 65 }, (_, n) => connection.send(request(8_000 + n, 10)))],
    ['a number that is in use', () => [1, 2].map(() => connection.send(request(9_000, 10)))],
    ['a body that it did not announce', () => connection.piece(9_000, 'x')],
    ['a piece that is too long', () => connection.piece(9_000, Buffer.alloc(65_537))],
    ['a message of two megabytes', () => connection.send({ op: 'x', text: 'x'.repeat(2_000_000) })],
  ])('%s', async (_what, attack) => {
    const { closed } = connection;
    attack();
    expect((await closed).code).toBe(4002);
    await serve();
    expect((await ask('GET', `/guilds/${guild.id}`)).status).toBe(200);
  });
});
