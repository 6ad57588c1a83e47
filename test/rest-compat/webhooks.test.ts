import { beforeEach, describe, expect } from 'vitest';
import { deleteChannel } from '../../src/domain/channels/index.js';
import { deleteGuild } from '../../src/domain/guilds/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { dataUri, PIXEL } from '../harness/images.js';
import { expectReference } from '../harness/reference.js';
import { ask, openScene, RestBot, type Scene } from '../harness/rest.js';
import { createDirectChannel, denyInChannel } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { openWebhook, RestWebhook } from '../harness/webhooks.js';
import { addMember, callOf, createBot, createChannel, createGuild } from '../harness/world.js';

const TALKING = Permission.ViewChannel | Permission.ReadMessageHistory | Permission.SendMessages;
const MANAGING = TALKING | Permission.ManageGuild;

let server: TestServer;
let scene: Scene;
test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(MANAGING);
});

const ofChannel = (id = scene.channelId) => `/channels/${id}/webhooks`;
const refused = (status: number, code: number) => ({ status, body: { code } });
const UNKNOWN = refused(404, 10015);
const MISSING_PERMISSIONS = refused(403, 50013);
const MISSING_ACCESS = refused(403, 50001);

const idsOf = ({ body }: Loose): string[] => body.map(({ id }: { id: string }) => id);

async function newChannel(name: string, type?: number, guildId = scene.guild.id): Promise<string> {
  return String((await createChannel(server.app, guildId, name, type)).id);
}

async function otherServer(): Promise<string> {
  const guild = await createGuild(server.app);
  await addMember(server.app, guild.id, scene.bot.bot.user);
  return String(guild.channel.id);
}

describe('management (bot token)', () => {
  test('supports create, list, get, modify and delete; only creation returns the full token', async () => {
    const made = await scene.bot.post(ofChannel(), { name: ' Herald ' });
    expect(made).toMatchObject({ status: 200 });
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { token, url, ...shown } = made.body;
    const { id } = shown;
    expect(shown).toEqual({
      id: expect.stringMatching(/^\d+$/),
      type: 1,
      application_id: scene.bot.id,
      guild_id: scene.guildId,
      channel_id: scene.channelId,
      name: 'Herald',
      avatar: null,
      user: expect.objectContaining({ id: scene.bot.id, bot: true }),
    });
    expectReference('GuildIncomingWebhookResponse', made.body);
    expect(token).toMatch(/^WH\.[\w-]{8}\.[\w-]{56}$/);
    expect(url).toBe(`${server.app.addresses.publicUrl}/api/webhooks/${id}/${token}`);
    expect((await ask(server, 'POST', url, { json: { content: 'by its address' } })).status).toBe(200);

    expect(await scene.bot.get(`/webhooks/${id}`)).toMatchObject({ status: 200, body: shown });
    const changed = await scene.bot.patch(`/webhooks/${id}`, { name: 'Crier' });
    expect(changed).toMatchObject({ status: 200, body: { ...shown, name: 'Crier' } });
    for (const path of [`/webhooks/${id}`, ofChannel(), `/guilds/${scene.guildId}/webhooks`]) {
      const { body } = await scene.bot.get(path);
      expect([body].flat()).toEqual([{ ...shown, name: 'Crier' }]);
    }
    const { tokenHash, tokenPrefix, tokenLast4 } = await server.app.db.reader.webhook.findUniqueOrThrow({
      where: { id: BigInt(id) },
    });
    expect([tokenHash.slice(0, 10), tokenPrefix, tokenLast4]).toEqual([
      '$argon2id$',
      token.slice(3, 11),
      token.slice(-4),
    ]);

    const own = new RestWebhook(server, { id: BigInt(id) }, token);
    expect((await scene.bot.delete(`/webhooks/${id}`)).status).toBe(204);
    expect(await own.post({ content: 'late' })).toMatchObject(UNKNOWN);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { json: { name: 'Again' } } : {};
      expect(await scene.bot.ask(method, `/webhooks/${id}`, json), method).toMatchObject(UNKNOWN);
    }
    expect((await scene.bot.get(ofChannel())).body).toEqual([]);
  });

  test('accepts one of several deletions at once', async () => {
    const hook = await openWebhook(scene);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => scene.bot.delete(`/webhooks/${hook.id}`)),
      ...Array.from({ length: 4 }, () => hook.delete()),
    ]);
    const counts = [204, 404].map((wanted) => answers.filter(({ status }) => status === wanted).length);
    expect(counts).toEqual([1, 7]);
  });

  test.each([
    [0, 'a text channel'],
    [2, 'a voice channel'],
    [5, 'an announcement channel'],
    [13, 'a stage channel'],
  ])('create: works in a channel of type %i, %s, and the webhook posts there', async (type) => {
    const channelId = await newChannel('made', type);
    const { status, body } = await scene.bot.post(ofChannel(channelId), { name: 'Herald' });
    expect({ status, channel: body.channel_id }).toEqual({ status: 200, channel: channelId });
    const sent = await ask(server, 'POST', body.url, { json: { content: 'hello' } });
    expect(sent).toMatchObject({ status: 200, body: { channel_id: channelId, webhook_id: body.id } });
  });

  test('create requires manage_server in the guild; create and list require a visible channel', async () => {
    const { app } = server;
    const hidden = await newChannel('hidden');
    await denyInChannel(server, { id: scene.guildId }, hidden, Permission.ViewChannel);
    const direct = await createDirectChannel(app, scene.bot.bot.user, scene.guild.owner);
    const foreign = await createDirectChannel(app, scene.other.bot.user, scene.guild.owner);
    const directory = await newChannel('directory');
    await app.db.writer.channel.update({ where: { id: BigInt(directory) }, data: { type: 14 } });
    const create = (channelId: string, bot = scene.bot) => bot.post(ofChannel(channelId), { name: 'Herald' });
    const list = (channelId: string, bot = scene.bot) => bot.get(ofChannel(channelId));
    for (const attempt of [create, list]) {
      expect(await attempt(scene.channelId, scene.stranger), 'no member').toMatchObject(MISSING_ACCESS);
      expect(await attempt(hidden), 'hidden').toMatchObject(MISSING_ACCESS);
      expect(await attempt(String(direct.id)), 'direct').toMatchObject(refused(404, 10003));
      expect(await attempt(String(foreign.id)), 'of others').toMatchObject(MISSING_ACCESS);
      expect(await attempt('1'), 'unknown').toMatchObject(refused(404, 10003));
    }
    expect(await create(await newChannel('category', 4))).toMatchObject(refused(400, 50008));
    expect(await create(directory)).toMatchObject(refused(400, 50008));
    await scene.permit(TALKING | Permission.ManageWebhooks | Permission.ManageChannels);
    expect(await create(scene.channelId)).toMatchObject(MISSING_PERMISSIONS);
    expect(await list(scene.channelId)).toMatchObject({ status: 200, body: [] });
    expect(await scene.bot.get(`/guilds/${scene.guildId}/webhooks`)).toMatchObject({ status: 200, body: [] });
    expect(await scene.stranger.get(`/guilds/${scene.guildId}/webhooks`)).toMatchObject(MISSING_ACCESS);
    expect(await scene.bot.get('/guilds/1/webhooks')).toMatchObject(refused(404, 10004));
    expect(await app.db.reader.webhook.count({ where: { guildId: scene.guild.id } })).toBe(0);
  });

  test('requires a name of 1 to 80 characters', async () => {
    const hook = await openWebhook(scene);
    const answersTo = async (name: unknown) => [
      await scene.bot.post(ofChannel(), { name }),
      await scene.bot.patch(`/webhooks/${hook.id}`, { name }),
      await hook.patch('', { name }),
    ];
    const [most, ducks] = ['x'.repeat(80), '🦆'.repeat(80)];
    for (const name of ['', '   ', '\u200b\u2060', `${most}x`, `${ducks}🦆`, 'a\nb', 5.5, [], {}]) {
      const fault = { status: 400, body: { code: 50035, errors: { name: { _errors: [expect.anything()] } } } };
      for (const answer of await answersTo(name)) expect(answer, JSON.stringify(name)).toMatchObject(fault);
    }
    for (const name of ['x', most, ducks, `  ${most}  `]) {
      const taken = { status: 200, body: { name: name.trim() } };
      for (const answer of await answersTo(name)) expect(answer, name).toMatchObject(taken);
    }
  });

  test('requires a name on creation, and keeps it if omitted or null later', async () => {
    for (const json of [{}, { name: null }]) {
      expect(await scene.bot.post(ofChannel(), json)).toMatchObject({ status: 400, body: { errors: { name: {} } } });
    }
    const hook = await openWebhook(scene, { name: 'Herald' });
    for (const json of [{}, { name: null }, { name: null, channel_id: null }]) {
      expect(await scene.bot.patch(`/webhooks/${hook.id}`, json)).toMatchObject({ body: { name: 'Herald' } });
      expect(await hook.patch('', json)).toMatchObject({ status: 200, body: { name: 'Herald' } });
    }
  });

  test('ignores the avatar and every other field', async () => {
    const more = { avatar: dataUri(PIXEL), type: 2, token: 'mine', guild_id: '1', application_id: '1', url: 'x' };
    const { status, body } = await scene.bot.post(ofChannel(), { name: 'Herald', ...more, channel_id: '1' });
    expect(status).toBe(200);
    const shown = { type: 1, avatar: null, guild_id: scene.guildId, channel_id: scene.channelId };
    expect(body).toMatchObject({ ...shown, application_id: scene.bot.id });
    expect(body.token).not.toBe('mine');
    expect((await scene.bot.patch(`/webhooks/${body.id}`, more)).body).toMatchObject(shown);
    expect((await scene.bot.patch(`/webhooks/${body.id}`, { avatar: 'no picture' })).status).toBe(200);
  });

  test("lists the live webhooks of the bot's application, oldest first, whatever its permissions", async () => {
    const elsewhere = await newChannel('elsewhere');
    const hidden = await newChannel('hidden');
    await denyInChannel(server, { id: scene.guildId }, hidden, Permission.ViewChannel);
    const first = await openWebhook(scene);
    const ofOther = await openWebhook(scene, {}, scene.other);
    const [there, unseen, last] = [
      await openWebhook(scene, { channelId: BigInt(elsewhere) }),
      await openWebhook(scene, { channelId: BigInt(hidden) }),
      await openWebhook(scene),
    ];
    await openWebhook(scene, { deletedAt: new Date() });
    const inChannel = await scene.bot.get(ofChannel());
    expect(idsOf(inChannel)).toEqual([first.id, last.id]);
    expect(idsOf(await scene.bot.get(ofChannel(elsewhere)))).toEqual([there.id]);
    const inGuild = await scene.bot.get(`/guilds/${scene.guildId}/webhooks`);
    expect(idsOf(inGuild)).toEqual([first.id, there.id, unseen.id, last.id]);
    expect(idsOf(await scene.other.get(ofChannel()))).toEqual([ofOther.id]);
    expect(idsOf(await scene.other.get(`/guilds/${scene.guildId}/webhooks`))).toEqual([ofOther.id]);
    await scene.permit(TALKING);
    expect(idsOf(await scene.bot.get(ofChannel()))).toEqual(idsOf(inChannel));
    expect(idsOf(await scene.bot.get(`/guilds/${scene.guildId}/webhooks`))).toEqual(idsOf(inGuild));
    for (const { body } of [inChannel, inGuild]) {
      for (const webhook of body) {
        expectReference('GuildIncomingWebhookResponse', webhook);
        expect(webhook).not.toHaveProperty('token');
        expect(webhook).not.toHaveProperty('url');
      }
      expect(JSON.stringify(body)).not.toContain('WH.');
    }
    await deleteChannel(callOf(server.app, scene.guild.owner), BigInt(elsewhere));
    expect(idsOf(await scene.bot.get(`/guilds/${scene.guildId}/webhooks`))).toContain(there.id);
  });

  test.each([
    ['its own bot with manage_server', 'own', MANAGING, 'ok'],
    ['its own bot without it', 'own', TALKING, 'ok'],
    ["another application's bot with manage_server", 'other', MANAGING, 'unknown'],
    ["another application's bot that is an administrator", 'other', Permission.Administrator, 'unknown'],
    ["another application's bot without any right", 'other', TALKING, 'unknown'],
    ['a bot that is not in the server', 'stranger', MANAGING, 'unknown'],
  ] as const)('get, rename, move, delete: %s', async (_who, role, permissions, outcome) => {
    const hook = await openWebhook(scene);
    const there = await newChannel('there');
    await scene.permit(permissions);
    const who = { own: scene.bot, other: scene.other, stranger: scene.stranger }[role];
    const path = `/webhooks/${hook.id}`;
    const answers = [
      await who.get(path),
      await who.patch(path, { name: 'Crier' }),
      await who.patch(path, { channel_id: there }),
      await who.delete(path),
    ];
    if (outcome === 'ok') {
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 204]);
      expect(answers[2]?.body).toMatchObject({ name: 'Crier', channel_id: there });
      return expect(await hook.get()).toMatchObject(UNKNOWN);
    }
    for (const answer of answers) expect(answer).toMatchObject(UNKNOWN);
    return expect((await hook.get()).body).toMatchObject({ name: 'hook', channel_id: scene.channelId });
  });

  test('allows its own bot to manage it after the guild is deleted', async () => {
    const hook = await openWebhook(scene);
    await deleteGuild(callOf(server.app, scene.guild.owner), scene.guild.id);
    const path = `/webhooks/${hook.id}`;
    expect(await scene.other.get(path)).toMatchObject(UNKNOWN);
    expect(await scene.other.delete(path)).toMatchObject(UNKNOWN);
    const answers = [
      await hook.post({ content: 'late' }),
      await scene.bot.get(path),
      await scene.bot.patch(path, { name: 'Crier' }),
      await scene.bot.delete(path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 200, 200, 204]);
  });

  test('modify: moves it to another channel of its guild, with the same checks', async () => {
    const { app } = server;
    const there = await newChannel('there');
    const hidden = await newChannel('hidden');
    await denyInChannel(server, { id: scene.guildId }, hidden, Permission.ViewChannel);
    const gone = await newChannel('gone');
    await deleteChannel(callOf(app, scene.guild.owner), BigInt(gone));
    const hook = await openWebhook(scene);
    const { body: before } = await hook.post({ content: 'before' });
    const move = (channelId: unknown) => scene.bot.patch(`/webhooks/${hook.id}`, { channel_id: channelId });
    const foreign = { status: 400, body: { code: 50035, errors: { channel_id: { _errors: [expect.anything()] } } } };
    expect(await move(await otherServer()), 'another server').toMatchObject(foreign);
    expect(await move(String((await createGuild(app)).channel.id)), 'no member there').toMatchObject(MISSING_ACCESS);
    expect(await move(hidden), 'hidden').toMatchObject(MISSING_ACCESS);
    expect(await move(gone), 'deleted').toMatchObject(refused(404, 10003));
    expect(await move(await newChannel('category', 4)), 'category').toMatchObject(refused(400, 50008));
    expect(await move('x'), 'no id').toMatchObject(foreign);
    expect((await hook.get()).body.channel_id).toBe(scene.channelId);
    const moved = await scene.bot.patch(`/webhooks/${hook.id}`, { channel_id: there, name: 'Crier' });
    expect(moved).toMatchObject({ status: 200, body: { channel_id: there, name: 'Crier' } });
    expect((await hook.post({ content: 'after' })).body.channel_id).toBe(there);
    for (const method of ['GET', 'DELETE']) {
      expect(await hook.ask(method, `/messages/${before.id}`), method).toMatchObject(refused(404, 10008));
    }
    expect((await scene.bot.get(`${scene.messages}/${before.id}`)).status).toBe(200);
    expect((await move(scene.channelId)).status).toBe(200);
    expect((await hook.get(`/messages/${before.id}`)).body.content).toBe('before');
  });

  test('modify: moves one whose channel was deleted, and it works again', async () => {
    const gone = await newChannel('gone');
    const hook = await openWebhook(scene, { channelId: BigInt(gone) });
    await deleteChannel(callOf(server.app, scene.guild.owner), BigInt(gone));
    expect(await hook.post({ content: 'lost' })).toMatchObject(refused(404, 10003));
    expect((await scene.bot.get(`/webhooks/${hook.id}`)).body.channel_id).toBe(gone);
    expect((await scene.bot.patch(`/webhooks/${hook.id}`, { name: 'Crier' })).body.channel_id).toBe(gone);
    expect((await scene.bot.patch(`/webhooks/${hook.id}`, { channel_id: scene.channelId })).status).toBe(200);
    expect((await hook.post({ content: 'found' })).status).toBe(200);
  });

  test('limits webhooks to 50 per application, without a limit per channel', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, () => openWebhook(scene)));
    const full = await scene.bot.post(ofChannel(), { name: 'one more' });
    expect(full).toMatchObject({
      status: 400,
      body: { code: 30007, message: 'Maximum number of webhooks reached (50)' },
    });
    expect((await scene.other.post(ofChannel(), { name: "another's" })).status).toBe(200);
    expect((await tokens[7]?.delete())?.status).toBe(204);
    expect((await scene.bot.post(ofChannel(), { name: 'in its place' })).status).toBe(200);
    expect(await scene.bot.post(ofChannel(), { name: 'one more' })).toMatchObject(refused(400, 30007));
  });

  test('refuses user sessions and webhook tokens', async () => {
    const hook = await openWebhook(scene);
    const nobody = new RestBot(server, { ...scene.bot.bot, token: hook.token });
    expect(await nobody.get(`/webhooks/${hook.id}`)).toMatchObject(refused(401, 0));
    const headers = { authorization: '' };
    expect(await ask(server, 'GET', `/webhooks/${hook.id}`, { headers })).toMatchObject({ status: 401 });
    expect(await ask(server, 'DELETE', `/webhooks/${hook.id}`)).toMatchObject(refused(401, 0));
    const alone = await createBot(server.app);
    expect(await new RestBot(server, alone).delete(`/webhooks/${hook.id}`)).toMatchObject(UNKNOWN);
  });
});
