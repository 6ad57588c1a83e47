import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BoxClientRef } from '../../src/domain/boxes/index.js';
import { installApplication } from '../../src/domain/installations/index.js';
import { boxSnowflakes } from '../../src/infra/ids/ids.js';
import { BoxesInMemory, putBox, putBoxGuild } from '../harness/box-guilds.js';
import { expectReference } from '../harness/reference.js';
import { openScene, type Scene } from '../harness/rest.js';
import { createPerson } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { addMember, callOf, createBot } from '../harness/world.js';

let server: TestServer;
let scene: Scene;

beforeAll(async () => {
  server = await startServer();
  scene = await openScene(server);
});
afterAll(() => server.stop());

describe('users', () => {
  test('are found by id and by username', async () => {
    const { owner } = scene.guild;
    const { status, body } = await scene.bot.get(`/users/${owner.id}`);
    expect({ status, id: body.id }).toEqual({ status: 200, id: String(owner.id) });
    expectReference('UserResponse', body);
    expect((await scene.bot.get(`/users/by-name/${owner.handle}`)).body).toEqual(body);
    expect((await scene.bot.get('/users/by-name/nobody')).body.code).toBe(10013);
  });

  test('PATCH /users/@me accepts a username and an avatar as a data URI', async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#f00' } })
      .png()
      .toBuffer();
    const avatar = `data:image/png;base64,${png.toString('base64')}`;
    const { status, body } = await scene.bot.patch('/users/@me', { username: 'renamed', avatar, banner: null });
    expect(status).toBe(200);
    expectReference('UserPIIResponse', body);
    expect(body).toMatchObject({ username: 'renamed', avatar: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect((await scene.bot.get('/users/@me')).body).toEqual(body);
  });

  test.each([
    [{ username: 'x' }, 'username', 'BASE_TYPE_BAD_LENGTH'],
    [{ username: 5.5 }, 'username', 'STRING_TYPE_CONVERT'],
    [{ avatar: 'none' }, 'avatar', 'IMAGE_INVALID'],
    [{ avatar: 'data:image/png;base64,AAAA' }, 'avatar', 'IMAGE_INVALID'],
  ])('are refused with a fault at the field for %j', async (json, field, code) => {
    const { status, body } = await scene.bot.patch('/users/@me', json);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
    expect(body.errors[field]._errors[0].code).toBe(code);
  });

  test('DELETE /users/@me/guilds/{id} leaves the guild once', async () => {
    const { other } = scene;
    expect((await other.delete(`/users/@me/guilds/${scene.guildId}`)).status).toBe(204);
    const { status, body } = await other.delete(`/users/@me/guilds/${scene.guildId}`);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 50001 });
  });

  test('DELETE /users/@me/guilds/{id} of a self-hosted guild needs its box', async () => {
    const { app } = server;
    const { bot } = scene.bot;
    const { owner } = bot;
    const boxes = new BoxesInMemory();
    if (app.boxes instanceof BoxClientRef) app.boxes.set(boxes);
    const { id } = await putBoxGuild(app, await putBox(app, owner));
    await installApplication(callOf(app, owner), { applicationId: bot.id, guildId: id, scopes: ['bot'] });
    boxes.isAway = true;
    expect((await scene.bot.delete(`/users/@me/guilds/${id}`)).status).toBe(503);
    boxes.isAway = false;
    expect((await scene.bot.delete(`/users/@me/guilds/${id}`)).status).toBe(204);
    expect(boxes.has(id, bot.id)).toBe(false);
    expect((await scene.bot.delete(`/users/@me/guilds/${id}`)).body.code).toBe(50001);
  });
});

describe('POST /users/@me/channels', () => {
  test('returns the same direct channel each time, with its recipient', async () => {
    const recipient_id = String(scene.guild.owner.id);
    const { status, body } = await scene.bot.post('/users/@me/channels', { recipient_id });
    expect(status).toBe(200);
    expectReference('PrivateChannelResponse', body);
    expect(body).toMatchObject({ type: 1, last_message_id: null, recipients: [{ id: recipient_id }] });
    for (const field of ['guild_id', 'name', 'position', 'permission_overwrites'])
      expect(body).not.toHaveProperty(field);
    const { body: message } = await scene.bot.post(`/channels/${body.id}/messages`, { content: 'hello' });
    expect((await scene.bot.post('/users/@me/channels', { recipient_id: Number.NaN })).status).toBe(400);
    const again = (await scene.bot.post('/users/@me/channels', { recipient_id })).body;
    expect(again).toEqual({ ...body, last_message_id: message.id });
    expect((await scene.bot.get(`/channels/${body.id}`)).body).toEqual(again);
    expect((await scene.bot.delete(`/channels/${body.id}`)).body).toEqual(again);
    expect((await scene.bot.get(`/channels/${body.id}/messages`)).body).toMatchObject([{ id: message.id }]);
  });

  test('is refused for strangers, bots, the bot itself and unknown users', async () => {
    const [stranger, bot] = [await createPerson(server.app), await createBot(server.app)];
    await addMember(server.app, scene.guild.id, bot.user);
    const codeOf = async (recipient_id: unknown) =>
      (await scene.bot.post('/users/@me/channels', { recipient_id })).body.code;
    expect(await codeOf(String(stranger.id))).toBe(50007);
    expect(await codeOf(String(bot.id))).toBe(50007);
    expect(await codeOf(scene.bot.id)).toBe(50033);
    expect(await codeOf('5')).toBe(50033);
    expect(await codeOf(undefined)).toBe(50035);
  });

  test('is 404 for a user of a box, who is unknown in the cloud (service description, section 4)', async () => {
    const recipient_id = String(boxSnowflakes(server.app.clock, 5_000)());
    const unknown = { status: 404, body: { message: 'Unknown User', code: 10013 } };
    expect(await scene.bot.get(`/users/${recipient_id}`)).toMatchObject(unknown);
    expect(await scene.bot.post('/users/@me/channels', { recipient_id })).toMatchObject(unknown);
  });

  test('returns a channel that refuses guild operations (50003)', async () => {
    const { body } = await scene.bot.post('/users/@me/channels', { recipient_id: String(scene.guild.owner.id) });
    const messages = [server.app.nextId(), server.app.nextId()].map(String);
    const refused = await scene.bot.post(`/channels/${body.id}/messages/bulk-delete`, { messages });
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 403, code: 50003 });
  });
});

describe('pins and bulk deletion', () => {
  test('both families of pin routes list and change the same pins', async () => {
    await scene.permit((1n << 51n) | (1n << 10n) | (1n << 11n) | (1n << 16n));
    const [first, second] = [await scene.send({ content: 'one' }), await scene.send({ content: 'two' })];
    const channel = `/channels/${scene.channelId}`;
    expect((await scene.bot.put(`${channel}/pins/${first.id}`)).status).toBe(204);
    expect((await scene.bot.put(`${channel}/messages/pins/${second.id}`)).status).toBe(204);
    const { body } = await scene.bot.get(`${channel}/messages/pins`);
    expectReference('PinnedMessagesResponse', body);
    expect(body).toMatchObject({
      has_more: false,
      items: [{ message: { id: second.id, pinned: true } }, { message: { id: first.id } }],
    });
    const older = await scene.bot.get(
      `${channel}/messages/pins?limit=1&before=${encodeURIComponent(body.items[0].pinned_at)}`,
    );
    expect(older.body.items.map(({ message }: { message: { id: string } }) => message.id)).toEqual([first.id]);
    expect((await scene.bot.get(`${channel}/pins`)).body).toMatchObject([{ id: second.id }, { id: first.id }]);
    expect((await scene.bot.delete(`${channel}/messages/pins/${first.id}`)).status).toBe(204);
    expect((await scene.bot.delete(`${channel}/pins/${second.id}`)).status).toBe(204);
    expect((await scene.bot.get(`${channel}/pins`)).body).toEqual([]);
    for (const before of ['yesterday', '-000001-01-01', '+275000-01-01T00:00:00Z']) {
      const answer = await scene.bot.get(`${channel}/messages/pins?before=${encodeURIComponent(before)}`);
      expect(answer.body).toMatchObject({
        code: 50035,
        errors: { before: { _errors: [{ code: 'DATE_TIME_TYPE_PARSE' }] } },
      });
    }
  });

  test.each([
    [{ messages: ['1'] }, 50016],
    [{ messages: Array.from({ length: 101 }, () => '1') }, 50016],
    [{ messages: ['1', '2'] }, 50034],
    [{ messages: ['1', 'x'] }, 50035],
    [{ messages: 'x' }, 50035],
    [{}, 50035],
  ])('a bulk deletion of %j returns %i', async (json, code) => {
    await scene.permit((1n << 10n) | (1n << 13n));
    expect((await scene.bot.post(`${scene.messages}/bulk-delete`, json)).body.code).toBe(code);
  });
});
