import sharp from 'sharp';
import { beforeEach, describe, expect } from 'vitest';
import { createEmoji, deleteEmoji, updateEmoji } from '../../src/domain/emojis/index.js';
import { ALL_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import { createRole } from '../../src/domain/roles/index.js';
import { namesIn } from '../harness/blobs.js';
import { test } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import type { Loose } from '../harness/graphql.js';
import { dataUri, movingGif, PIXEL } from '../harness/images.js';
import { outcome } from '../harness/outcome.js';
import { expectReference } from '../harness/reference.js';
import { openScene, type RestBot, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { addMember, callOf, createGuild } from '../harness/world.js';

const READING = Permission.ViewChannel | Permission.ReadMessageHistory | Permission.SendMessages;

let server: TestServer;
let scene: Scene;
test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(READING | Permission.CreateGuildExpressions);
});

const path = (id = '') => `/guilds/${scene.guildId}/emojis${id && `/${id}`}`;
const fault = (code: unknown = expect.anything()) => ({ _errors: [{ code }] });
const callOfBot = ({ bot }: RestBot) => callOf(server.app, bot.user);

async function make(bot: RestBot, name = 'wave', more: object = {}): Promise<Loose> {
  const { status, body } = await bot.post(path(), { name, image: dataUri(PIXEL), ...more });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

async function makeRows(count: number, of: object, animated = false): Promise<void> {
  const creatorId = scene.bot.bot.id;
  const data = Array.from({ length: count }, () => ({ id: server.app.nextId(), name: 'many', creatorId, roleIds: [] }));
  await server.app.db.writer.emoji.createMany({ data: data.map((row) => ({ ...row, ...of, animated })) });
}

describe('emojis of a guild', () => {
  test('are created, listed, read, changed and deleted by a bot', async () => {
    const role = await createRole(callOf(server.app, scene.guild.owner), scene.guild.id, {
      name: 'R',
      permissions: 0n,
    });
    const roles = [String(role.id)];
    const made = await make(scene.bot, 'wave', { roles });
    expect(made).toMatchObject({
      name: 'wave',
      roles,
      user: { id: scene.bot.id },
      require_colons: true,
      managed: false,
      animated: false,
      available: true,
    });
    expectReference('EmojiResponse', made);
    expect((await scene.bot.get(path())).body).toEqual([made]);
    expect((await scene.bot.get(path(made.id))).body).toEqual(made);
    const changed = await scene.bot.patch(path(made.id), { name: 'hello', roles: null });
    expect(changed).toMatchObject({ status: 200, body: { ...made, name: 'hello', roles: [] } });
    expect((await scene.bot.get(`/guilds/${scene.guildId}`)).body.emojis).toMatchObject([{ name: 'hello' }]);
    expect(await namesIn(server.app.blobs, 'emojis')).toContain(made.id);
    expect((await scene.bot.delete(path(made.id))).status).toBe(204);
    expect(await namesIn(server.app.blobs, 'emojis')).not.toContain(made.id);
    for (const answer of [
      await scene.bot.get(path(made.id)),
      await scene.bot.patch(path(made.id), { name: 'xx' }),
      await scene.bot.delete(path(made.id)),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 10014, message: 'Unknown Emoji' } });
    }
    expect((await scene.bot.get(path())).body).toEqual([]);
  });

  test('are unknown in another guild', async () => {
    const elsewhere = await createGuild(server.app);
    const call = callOf(server.app, elsewhere.owner);
    const { emoji } = await createEmoji(call, { guildId: elsewhere.id, name: 'far', image: PIXEL });
    expect(await scene.bot.get(path(String(emoji.id)))).toMatchObject({ status: 404, body: { code: 10014 } });
    expect(await scene.stranger.get(path())).toMatchObject({ status: 403, body: { code: 50001 } });
  });

  test('are editable by their creator and by managers, and only those see the creator', async () => {
    const made = await make(scene.bot);
    expect((await scene.other.get(path(made.id))).body).not.toHaveProperty('user');
    expect((await scene.other.get(path())).body[0]).toHaveProperty('user');
    expect(await scene.other.patch(path(made.id), { name: 'no' })).toMatchObject({
      status: 403,
      body: { code: 50013 },
    });
    expect((await scene.other.delete(path(made.id))).status).toBe(403);
    await scene.permit(READING | Permission.ManageGuildExpressions);
    expect((await scene.other.get(path(made.id))).body).toHaveProperty('user');
    expect((await scene.other.patch(path(made.id), { name: 'yes' })).status).toBe(200);
    expect(await scene.bot.post(path(), { name: 'no', image: dataUri(PIXEL) })).toMatchObject({ status: 403 });
    await scene.permit(READING);
    expect((await scene.bot.get(path())).body[0]).not.toHaveProperty('user');
    expect((await scene.bot.delete(path(made.id))).status).toBe(403);
  });

  test('are refused with 400 and the path of each fault', async () => {
    const image = dataUri(PIXEL);
    const large = dataUri(Buffer.alloc(256 * 1024 + 1));
    const faulty: [object, object][] = [
      [{ image }, { name: fault('BASE_TYPE_REQUIRED') }],
      [{ name: 'wave' }, { image: fault('BASE_TYPE_REQUIRED') }],
      [{ name: 'x', image }, { name: fault('BASE_TYPE_BAD_LENGTH') }],
      [{ name: 'x'.repeat(33), image }, { name: fault('BASE_TYPE_BAD_LENGTH') }],
      [{ name: 'a-b', image }, { name: fault('STRING_TYPE_REGEX') }],
      [{ name: 'wave', image: 'x' }, { image: fault('IMAGE_INVALID') }],
      [{ name: 'wave', image: null }, { image: fault('BASE_TYPE_REQUIRED') }],
      [{ name: 'wave', image: dataUri(Buffer.from('<svg/>')) }, { image: fault('IMAGE_INVALID') }],
      [{ name: 'wave', image: large }, { image: fault('BINARY_TYPE_MAX_SIZE') }],
      [{ name: 'wave', image, roles: ['x'] }, { roles: { 0: fault('NUMBER_TYPE_COERCE') } }],
      [{ name: 'wave', image, roles: [scene.guildId, '1'] }, { roles: { 1: fault('ROLE_INVALID') } }],
    ];
    for (const [json, errors] of faulty) {
      const { status, body } = await scene.bot.post(path(), json);
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 50035, errors } });
    }
    const { id } = await make(scene.bot);
    for (const [json, errors] of [
      [{ name: 5 }, { name: fault() }],
      [{ roles: ['1'] }, { roles: { 0: fault('ROLE_INVALID') } }],
    ]) {
      expect(await scene.bot.patch(path(id), json)).toMatchObject({ status: 400, body: { errors } });
    }
  });

  test('are limited to 50 static and 50 animated ones, even when created at once', async () => {
    await makeRows(48, { guildId: scene.guild.id });
    await makeRows(50, { guildId: scene.guild.id }, true);
    const call = callOfBot(scene.bot);
    const attempts = Array.from({ length: 6 }, () =>
      outcome(createEmoji(call, { guildId: scene.guild.id, name: 'racer', image: PIXEL })),
    );
    const results = await Promise.all(attempts);
    expect(results.toSorted()).toEqual([...Array(4).fill('TOO_MANY_EMOJIS'), 'ok', 'ok']);
    const still = await scene.bot.post(path(), { name: 'more', image: dataUri(PIXEL) });
    expect(still).toMatchObject({ status: 400, body: { code: 30008 } });
    const moving = await scene.bot.post(path(), { name: 'more', image: dataUri(await movingGif(), 'image/gif') });
    expect(moving).toMatchObject({ status: 400, body: { code: 30018 } });
  });

  test('have one outcome if an edit and deletions run together', async () => {
    const call = callOfBot(scene.bot);
    for (let round = 0; round < 5; round += 1) {
      const { emoji } = await createEmoji(call, { guildId: scene.guild.id, name: 'both', image: PIXEL });
      const key = { guildId: scene.guild.id, emojiId: emoji.id };
      const [edited, ...removed] = await Promise.all([
        outcome(updateEmoji(call, key, { name: 'edited' })),
        outcome(deleteEmoji(call, key)),
        outcome(deleteEmoji(call, key)),
      ]);
      expect(['ok', 'UNKNOWN_GUILD_EMOJI']).toContain(edited);
      expect(removed.toSorted()).toEqual(['UNKNOWN_GUILD_EMOJI', 'ok']);
    }
    expect(await server.app.db.reader.emoji.count({ where: { guildId: scene.guild.id } })).toBe(0);
  });

  test('are published as a whole list to sessions with the intent, and audited', async () => {
    const [client, deaf] = [await GatewayClient.open(server.origin), await GatewayClient.open(server.origin)];
    await client.ready(scene.other.bot.token, { intents: 1 | (1 << 3) });
    await deaf.ready(scene.other.bot.token, { intents: 1 });
    const first = await make(scene.bot, 'one');
    const { user: _user, ...shown } = first;
    const told = async () => (await client.event('GUILD_EMOJIS_UPDATE')).d;
    expect(await told()).toEqual({ guild_id: scene.guildId, emojis: [shown] });
    const { user: _maker, ...second } = await make(scene.bot, 'two');
    expect((await told()).emojis).toEqual([shown, second]);
    await scene.bot.patch(path(first.id), { name: 'uno' });
    expect((await told()).emojis).toEqual([{ ...shown, name: 'uno' }, second]);
    await scene.bot.patch(path(first.id), { name: 'uno' });
    await scene.bot.delete(path(first.id));
    expect((await told()).emojis).toEqual([second]);
    expect(await deaf.settled()).toEqual([]);
    await Promise.all([client.close(), deaf.close()]);
    const where = { guildId: scene.guild.id, action: { startsWith: 'EMOJI_' } };
    const entries = await server.app.db.reader.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(entries.map(({ action, changes }) => [action, changes])).toEqual([
      ['EMOJI_CREATE', { name: 'one' }],
      ['EMOJI_CREATE', { name: 'two' }],
      ['EMOJI_UPDATE', { name: { old: 'one', new: 'uno' } }],
      ['EMOJI_DELETE', { name: 'uno' }],
    ]);
  });
});

describe('the image of an emoji', () => {
  const picture = (id: string, file: string) => fetch(`${server.origin}/cdn/emojis/${id}.${file}`);
  const facts = async (response: Response) => {
    const { format, width, pages = 1 } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    return [response.status, response.headers.get('content-type'), format, width, pages];
  };

  test("is served under the emoji's id, fits in 128 pixels, and is deleted with the emoji", async () => {
    const image = await sharp({ create: { width: 300, height: 150, channels: 3, background: '#0a0' } })
      .png()
      .toBuffer();
    const { id } = await make(scene.bot, 'wide', { image: dataUri(image) });
    expect(await facts(await picture(id, 'png'))).toEqual([200, 'image/png', 'png', 128, 1]);
    expect(await facts(await picture(id, 'webp?size=32'))).toEqual([200, 'image/webp', 'webp', 32, 1]);
    expect(await facts(await picture(id, 'webp?size=4096'))).toEqual([200, 'image/webp', 'webp', 128, 1]);
    expect((await picture(id, 'webp?size=48')).status).toBe(400);
    expect(await facts(await picture(id, 'webp?animated=true'))).toEqual([200, 'image/webp', 'webp', 128, 1]);
    expect(await facts(await picture(id, 'jpeg'))).toEqual([200, 'image/jpeg', 'jpeg', 128, 1]);
    for (const file of ['gif', 'svg', 'png/x']) expect((await picture(id, file)).status).toBe(404);
    expect((await picture('1', 'png')).status).toBe(404);
    await scene.bot.delete(path(id));
    for (const file of ['png', 'webp?size=32']) expect((await picture(id, file)).status).toBe(404);
  });

  test('is animated as GIF, and as WebP on request', async () => {
    const { id, animated } = await make(scene.bot, 'moves', { image: dataUri(await movingGif(64), 'image/gif') });
    expect(animated).toBe(true);
    for (const [size, side] of [
      ['', 64],
      ['&size=16', 16],
    ] as const) {
      expect(await facts(await picture(id, `gif?${size}`))).toEqual([200, 'image/gif', 'gif', side, 2]);
      expect(await facts(await picture(id, `webp?animated=true${size}`))).toEqual([200, 'image/webp', 'webp', side, 2]);
      expect(await facts(await picture(id, `webp?${size}`))).toEqual([200, 'image/webp', 'webp', side, 1]);
      expect(await facts(await picture(id, `png?${size}`))).toEqual([200, 'image/png', 'png', side, 1]);
    }
  });
});

describe('emojis of an application', () => {
  const own = (id = '') => `/applications/${scene.bot.id}/emojis${id && `/${id}`}`;

  test('are created, listed, read, changed and deleted by its bot', async () => {
    const { status, body: made } = await scene.bot.post(own(), { name: 'mine', image: dataUri(PIXEL) });
    expect({ status, made }).toMatchObject({
      status: 201,
      made: { name: 'mine', roles: [], user: { id: scene.bot.id } },
    });
    const list = (await scene.bot.get(own())).body;
    expect(list).toEqual({ items: [made] });
    expectReference('ListApplicationEmojisResponse', list);
    expect((await scene.bot.get(own(made.id))).body).toEqual(made);
    expect((await scene.bot.patch(own(made.id), { name: 'ours' })).body).toEqual({ ...made, name: 'ours' });
    expect((await scene.bot.delete(own(made.id))).status).toBe(204);
    expect(await scene.bot.delete(own(made.id))).toMatchObject({ status: 404, body: { code: 10014 } });
    expect(await scene.bot.patch(own(made.id), { name: 'xx' })).toMatchObject({ status: 404, body: { code: 10014 } });
    expect(await scene.bot.get(own(made.id))).toMatchObject({ status: 404, body: { code: 10014 } });
  });

  test('are inaccessible to other applications and do not belong to a guild', async () => {
    const { body: made } = await scene.bot.post(own(), { name: 'mine', image: dataUri(PIXEL) });
    const ofGuild = await make(scene.bot);
    expect(await scene.other.get(own())).toMatchObject({ status: 403, body: { code: 20012 } });
    expect(await scene.other.delete(own(made.id))).toMatchObject({ status: 403, body: { code: 20012 } });
    expect((await scene.bot.get(path(made.id))).status).toBe(404);
    expect((await scene.bot.get(own(ofGuild.id))).status).toBe(404);
    expect((await scene.bot.patch(own(made.id), { name: 'a-b' })).body.errors).toMatchObject({ name: fault() });
  });

  test('are limited to 2,000', async () => {
    await makeRows(2_000, { applicationId: scene.bot.bot.id });
    const answer = await scene.bot.post(own(), { name: 'more', image: dataUri(PIXEL) });
    expect(answer).toMatchObject({ status: 400, body: { code: 30008 } });
  });
});

describe('a reaction with a custom emoji', () => {
  const at = (message: Loose, emoji: string, of = '') =>
    `${scene.messages}/${message.id}/reactions/${encodeURIComponent(emoji)}${of && `/${of}`}`;
  const shownOn = async (message: Loose) =>
    ((await scene.bot.get(`${scene.messages}/${message.id}`)).body.reactions ?? []).map((reaction: Loose) => [
      reaction.emoji,
      reaction.count,
    ]);

  beforeEach(() => scene.permit(ALL_PERMISSIONS & ~Permission.Administrator));

  test('supports all six operations, using only the id', async () => {
    const { id } = await make(scene.bot, 'moves', { image: dataUri(await movingGif(), 'image/gif') });
    const emoji = { id, name: 'moves', animated: true };
    const message = await scene.send();
    const client = await GatewayClient.open(server.origin);
    await client.ready(scene.other.bot.token, { intents: (1 << 10) | 1 });
    expect((await scene.bot.put(at(message, `any_name:${id}`, '@me'))).status).toBe(204);
    expect((await client.event('MESSAGE_REACTION_ADD')).d).toMatchObject({ emoji, user_id: scene.bot.id });
    expect((await scene.other.put(at(message, `a:moves:${id}`, '@me'))).status).toBe(204);
    expect(await shownOn(message)).toEqual([[emoji, 2]]);
    const users = (await scene.bot.get(at(message, `moves:${id}`))).body;
    expect(users.map((user: Loose) => user.id).toSorted()).toEqual([scene.bot.id, scene.other.id].toSorted());
    expect((await scene.bot.delete(at(message, `moves:${id}`, '@me'))).status).toBe(204);
    expect((await client.event('MESSAGE_REACTION_REMOVE')).d).toMatchObject({ emoji });
    expect((await scene.bot.delete(at(message, `moves:${id}`, scene.other.id))).status).toBe(204);
    expect(await shownOn(message)).toEqual([]);
    await scene.bot.put(at(message, `moves:${id}`, '@me'));
    expect((await scene.bot.delete(at(message, `moves:${id}`))).status).toBe(204);
    expect((await client.event('MESSAGE_REACTION_REMOVE_EMOJI')).d).toMatchObject({ emoji });
    await scene.bot.put(at(message, `moves:${id}`, '@me'));
    expect((await scene.bot.delete(`${scene.messages}/${message.id}/reactions`)).status).toBe(204);
    await client.event('MESSAGE_REACTION_REMOVE_ALL');
    await client.close();
    expect(await shownOn(message)).toEqual([]);
  });

  test('survives a rename of the emoji, and can be joined and removed after the emoji is deleted', async () => {
    const { id } = await make(scene.bot, 'before');
    const message = await scene.send();
    await scene.bot.put(at(message, `before:${id}`, '@me'));
    await scene.bot.patch(path(id), { name: 'after' });
    expect((await scene.other.put(at(message, `after:${id}`, '@me'))).status).toBe(204);
    expect(await shownOn(message)).toEqual([[{ id, name: 'before' }, 2]]);
    await scene.bot.delete(path(id));
    expect((await scene.other.delete(at(message, `after:${id}`, '@me'))).status).toBe(204);
    expect((await scene.other.put(at(message, `after:${id}`, '@me'))).status).toBe(204);
    expect((await scene.other.put(at(await scene.send(), `after:${id}`, '@me'))).body).toMatchObject({ code: 10014 });
  });

  test('is refused with 10014 unless the emoji exists', async () => {
    const message = await scene.send();
    for (const emoji of ['wave:1', `wave:${scene.guildId}`, `wave:${'9'.repeat(30)}`, ':1', 'wave']) {
      for (const answer of [
        await scene.bot.put(at(message, emoji, '@me')),
        await scene.bot.delete(at(message, emoji, '@me')),
        await scene.bot.get(at(message, emoji)),
        await scene.bot.delete(at(message, emoji)),
      ]) {
        expect({ emoji, ...answer }).toMatchObject({ emoji, status: 400, body: { code: 10014 } });
      }
    }
    const { id } = await make(scene.bot, 'unused');
    expect((await scene.bot.delete(at(message, `unused:${id}`, '@me'))).status).toBe(204);
    expect((await scene.bot.get(at(message, `unused:${id}`))).body).toEqual([]);
    expect((await scene.bot.delete(at(message, `unused:${id}`))).status).toBe(204);
  });

  test('from another guild requires membership there and Use External Emojis here', async () => {
    const elsewhere = await createGuild(server.app);
    const call = callOf(server.app, elsewhere.owner);
    const { emoji } = await createEmoji(call, { guildId: elsewhere.id, name: 'far', image: PIXEL });
    const react = async () => scene.bot.put(at(await scene.send(), `far:${emoji.id}`, '@me'));
    expect(await react()).toMatchObject({ status: 400, body: { code: 10014 } });
    await addMember(server.app, elsewhere.id, scene.bot.bot.user);
    expect((await react()).status).toBe(204);
    await scene.permit(ALL_PERMISSIONS & ~Permission.Administrator & ~Permission.UseExternalEmojis);
    expect(await react()).toMatchObject({ status: 400, body: { code: 10014 } });
  });

  test('from an application is usable by its bot alone, even without Use External Emojis', async () => {
    const { body } = await scene.bot.post(`/applications/${scene.bot.id}/emojis`, {
      name: 'mine',
      image: dataUri(PIXEL),
    });
    const message = await scene.send();
    await scene.permit(ALL_PERMISSIONS & ~Permission.Administrator & ~Permission.UseExternalEmojis);
    expect((await scene.other.put(at(message, `mine:${body.id}`, '@me'))).body).toMatchObject({ code: 10014 });
    expect((await scene.bot.put(at(message, `mine:${body.id}`, '@me'))).status).toBe(204);
  });

  test('restricted to roles requires one of them', async () => {
    const owner = callOf(server.app, scene.guild.owner);
    const role = await createRole(owner, scene.guild.id, { name: 'Few', permissions: 0n });
    const { id } = await make(scene.bot, 'few', { roles: [String(role.id)] });
    const react = async () => scene.bot.put(at(await scene.send(), `few:${id}`, '@me'));
    expect((await react()).body).toMatchObject({ code: 10014 });
    await scene.bot.patch(path(id), { roles: [] });
    expect((await react()).status).toBe(204);
  });
});
