import { once } from 'node:events';
import { ChannelType, Client, Events, GatewayIntentBits, PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setChannelOverwrite } from '../../src/domain/channels/index.js';
import { ALL_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import { eventually } from '../harness/jobs.js';
import { expectReference } from '../harness/reference.js';
import { openScene, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { callOf, createChannel } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
beforeAll(async () => {
  server = await startServer({ jobs: true });
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(ALL_PERMISSIONS & ~Permission.Administrator);
});
afterAll(() => server.stop());

const channels = () => `/guilds/${scene.guildId}/channels`;
const channel = (id = scene.channelId) => `/channels/${id}`;
const overwrite = (targetId: string, id = scene.channelId) => `${channel(id)}/permissions/${targetId}`;

const auditEntries = (action: string) =>
  server.app.db.reader.auditEntry.findMany({ where: { guildId: scene.guild.id, action } });

async function hide(): Promise<void> {
  const said = { targetId: scene.guild.id, targetType: 0 as const, allow: 0n, deny: Permission.ViewChannel };
  await setChannelOverwrite(callOf(server.app, scene.guild.owner), scene.guild.channel.id, said);
}

describe('GET /guilds/{guild.id}/channels', () => {
  test('returns all channels in order, including those that the bot cannot view', async () => {
    await hide();
    const { status, body } = await scene.bot.get(channels());
    expect(status).toBe(200);
    expect(body.map(({ name, type }: { name: string; type: number }) => [name, type])).toEqual([
      ['general', 0],
      ['General', 2],
    ]);
    for (const one of body) expectReference('GuildChannelResponse', one);
    expect((await scene.bot.get(channel())).body.code).toBe(50001);
  });

  test('is 403 for a guild without the bot, and 404 for an unknown guild', async () => {
    expect(await scene.stranger.get(channels())).toMatchObject({ status: 403, body: { code: 50001 } });
    expect(await scene.bot.get('/guilds/1/channels')).toMatchObject({ status: 404, body: { code: 10004 } });
  });
});

describe('POST /guilds/{guild.id}/channels', () => {
  test('creates a channel of each type with the given fields', async () => {
    const category = await scene.bot.post(channels(), { name: 'Texts', type: 4 });
    expect(category).toMatchObject({ status: 201, body: { name: 'Texts', type: 4, parent_id: null, position: 2 } });
    const asked = {
      name: 'news',
      type: 0,
      topic: 'what is new',
      nsfw: true,
      rate_limit_per_user: 10,
      position: 1,
      parent_id: category.body.id,
      permission_overwrites: [{ id: scene.guildId, type: 0, allow: '1024', deny: '2048' }],
      default_auto_archive_duration: 60,
    };
    const { default_auto_archive_duration: _ignored, ...shown } = asked;
    const text = await scene.bot.post(channels(), asked);
    expect(text).toMatchObject({ status: 201, body: { ...shown, guild_id: scene.guildId, last_message_id: null } });
    const voice = await scene.bot.post(channels(), { name: 'Talk', type: 2, bitrate: 8000, user_limit: 9, topic: 'x' });
    expect(voice.body).toMatchObject({ type: 2, bitrate: 8000, user_limit: 9, rtc_region: null });
    expect(voice.body).not.toHaveProperty('topic');
    const announcement = await scene.bot.post(channels(), { name: 'now', type: 5 });
    for (const { body } of [category, text, voice, announcement]) expectReference('GuildChannelResponse', body);
  });

  test('is 400 with the path of each fault', async () => {
    const { id: full } = await createChannel(server.app, scene.guild.id, 'full', 4);
    const data = Array.from({ length: 50 }, () => ({
      id: server.app.nextId(),
      guildId: scene.guild.id,
      name: 'x',
      parentId: full,
    }));
    await server.app.db.writer.channel.createMany({ data });
    const name = 'x';
    const faulty: [unknown, object][] = [
      [{}, { name: { _errors: [{ code: 'BASE_TYPE_REQUIRED' }] } }],
      [{ name, type: 1 }, { type: { _errors: [{ code: 'BASE_TYPE_CHOICES' }] } }],
      [{ name, rate_limit_per_user: 30_000 }, { rate_limit_per_user: { _errors: [{ code: 'NUMBER_TYPE_MAX' }] } }],
      [{ name, parent_id: scene.channelId }, { parent_id: { _errors: [{ code: 'CHANNEL_PARENT_INVALID_TYPE' }] } }],
      [
        { name, parent_id: String(full) },
        {
          parent_id: {
            _errors: [
              { code: 'CHANNEL_PARENT_MAX_CHANNELS', message: 'Maximum number of channels in category reached (50)' },
            ],
          },
        },
      ],
      [
        { name, permission_overwrites: [{ id: scene.guildId, allow: 'x' }] },
        { permission_overwrites: { 0: { allow: { _errors: [expect.anything()] } } } },
      ],
      [
        { name, permission_overwrites: [{ id: scene.guildId, type: 'role' }] },
        { permission_overwrites: { 0: { type: { _errors: [{ code: 'BASE_TYPE_CHOICES' }] } } } },
      ],
    ];
    for (const [json, errors] of faulty) {
      const { status, body } = await scene.bot.post(channels(), json);
      expect({ json, status, body }).toMatchObject({ json, status: 400, body: { code: 50035, errors } });
    }
  });

  test('is 400 with code 30013 if the guild has the maximum of channels', async () => {
    const data = Array.from({ length: 498 }, () => ({ id: server.app.nextId(), guildId: scene.guild.id, name: 'x' }));
    await server.app.db.writer.channel.createMany({ data });
    expect(await scene.bot.post(channels(), { name: 'x' })).toMatchObject({ status: 400, body: { code: 30013 } });
  });

  test('is 403 without Manage Channels, and for overwrites of permissions that the bot lacks', async () => {
    const said = (bits: bigint) => ({ name: 'x', permission_overwrites: [{ id: scene.guildId, deny: String(bits) }] });
    expect((await scene.bot.post(channels(), said(Permission.ManageRoles))).body.code).toBe(50013);
    await scene.permit(Permission.ManageChannels | Permission.ViewChannel);
    expect((await scene.bot.post(channels(), said(Permission.ViewChannel))).status).toBe(201);
    expect((await scene.bot.post(channels(), said(Permission.SendMessages))).body.code).toBe(50013);
    await scene.permit(Permission.ViewChannel);
    expect(await scene.bot.post(channels(), { name: 'x' })).toMatchObject({ status: 403, body: { code: 50013 } });
  });

  test('is 404 for an overwrite of an unknown target', async () => {
    const json = { name: 'x', permission_overwrites: [{ id: '1', type: 1 }] };
    expect(await scene.bot.post(channels(), json)).toMatchObject({ status: 404, body: { code: 10009 } });
  });
});

describe('PATCH /channels/{channel.id}', () => {
  test('returns the updated channel and logs the reason', async () => {
    const { id: messageId } = await scene.send();
    const json = { name: 'talk', type: 5, topic: 'x', permission_overwrites: [{ id: scene.bot.id, type: 1 }] };
    const headers = { 'x-audit-log-reason': 'it%20was%20time' };
    const { status, body } = await scene.bot.ask('PATCH', channel(), { json, headers });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        ...json,
        last_message_id: messageId,
        permission_overwrites: [{ id: scene.bot.id, type: 1, allow: '0', deny: '0' }],
      },
    });
    expectReference('GuildChannelResponse', body);
    expect(await auditEntries('CHANNEL_UPDATE')).toMatchObject([{ reason: 'it was time', actorId: scene.bot.bot.id }]);
  });

  test('is 400 for values that the channel cannot have', async () => {
    const { body } = await scene.bot.patch(channel(), { type: 2 });
    expect(body).toMatchObject({ code: 50035, errors: { type: { _errors: [{ code: 'BASE_TYPE_CHOICES' }] } } });
    const list = await scene.bot.patch(channel(), []);
    expect(list.status).toBe(400);
  });

  test('is 403 without Manage Channels in the channel, and for overwrites without Manage Roles', async () => {
    await scene.permit(Permission.ViewChannel | Permission.ManageChannels);
    expect((await scene.bot.patch(channel(), { permission_overwrites: [] })).body.code).toBe(50013);
    expect((await scene.bot.patch(channel(), { name: 'x' })).status).toBe(200);
    await scene.permit(Permission.ViewChannel);
    expect((await scene.bot.patch(channel(), { name: 'y' })).body.code).toBe(50013);
    await hide();
    expect((await scene.bot.patch(channel(), { name: 'y' })).body.code).toBe(50001);
  });

  test('is 404 for an unknown channel', async () => {
    expect(await scene.bot.patch(channel('1'), {})).toMatchObject({ status: 404, body: { code: 10003 } });
  });
});

describe('DELETE /channels/{channel.id}', () => {
  test('returns the deleted channel once, then 404', async () => {
    const { status, body } = await scene.bot.delete(channel());
    expect({ status, body }).toMatchObject({ status: 200, body: { id: scene.channelId, guild_id: scene.guildId } });
    expectReference('GuildChannelResponse', body);
    expect(await scene.bot.delete(channel())).toMatchObject({ status: 404, body: { code: 10003 } });
    for (const path of [channel(), scene.messages]) expect((await scene.bot.get(path)).body.code).toBe(10003);
    expect((await scene.bot.get(channels())).body).toHaveLength(1);
  });

  test('removes the messages afterwards', async () => {
    await scene.send();
    await scene.bot.delete(channel());
    const channelId = scene.guild.channel.id;
    await eventually(async () => {
      expect(await server.app.db.reader.message.count({ where: { channelId } })).toBe(0);
      expect(await server.app.db.reader.channel.count({ where: { id: channelId } })).toBe(0);
    });
  });

  test('is 403 without Manage Channels in the channel', async () => {
    await scene.permit(Permission.ViewChannel);
    expect(await scene.bot.delete(channel())).toMatchObject({ status: 403, body: { code: 50013 } });
  });
});

describe('PATCH /guilds/{guild.id}/channels', () => {
  test('is 204 and moves the channels to their new positions', async () => {
    const { id: parentId } = await createChannel(server.app, scene.guild.id, 'category', 4);
    const json = [
      { id: scene.channelId, position: 5, parent_id: String(parentId), lock_permissions: true },
      { id: String(parentId), position: null },
    ];
    const answer = await scene.bot.patch(channels(), json);
    expect([answer.status, answer.body]).toEqual([204, null]);
    expect((await scene.bot.get(channel())).body).toMatchObject({ position: 5, parent_id: String(parentId) });
  });

  test('is 400 with the path of the fault, and 40009 if several channels change their category', async () => {
    const { id: parentId } = await createChannel(server.app, scene.guild.id, 'category', 4);
    const { id: other } = await createChannel(server.app, scene.guild.id, 'other');
    const faulty: [unknown, object][] = [
      [{}, { _errors: [{ code: 'LIST_TYPE_CONVERT' }] }],
      [[{ position: 1 }], { 0: { id: { _errors: [{ code: 'BASE_TYPE_REQUIRED' }] } } }],
      [[{ id: scene.channelId, position: -1 }], { 0: { position: { _errors: [{ code: 'NUMBER_TYPE_MIN' }] } } }],
      [
        [{ id: scene.channelId, parent_id: String(other) }],
        { 0: { parent_id: { _errors: [{ code: 'CHANNEL_PARENT_INVALID_TYPE' }] } } },
      ],
    ];
    for (const [json, errors] of faulty) {
      const { status, body } = await scene.bot.patch(channels(), json);
      expect({ json, status, body }).toMatchObject({ json, status: 400, body: { code: 50035, errors } });
    }
    const both = [scene.channelId, String(other)].map((id) => ({ id, parent_id: String(parentId) }));
    expect(await scene.bot.patch(channels(), both)).toMatchObject({ status: 400, body: { code: 40009 } });
  });

  test('is 403 without Manage Channels, and 404 for a channel of another guild', async () => {
    expect(await scene.bot.patch(channels(), [{ id: '1', position: 1 }])).toMatchObject({ body: { code: 10003 } });
    await scene.permit(Permission.ViewChannel);
    expect(await scene.bot.patch(channels(), [])).toMatchObject({ status: 403, body: { code: 50013 } });
  });
});

describe('PUT and DELETE /channels/{channel.id}/permissions/{overwrite.id}', () => {
  const put = (targetId: string, json: unknown) => scene.bot.ask('PUT', overwrite(targetId), { json });

  test('is 204 and the overwrite takes effect', async () => {
    expect((await put(scene.guildId, { type: 0, deny: '2048', allow: null })).status).toBe(204);
    expect((await put(scene.other.id, { type: 1, allow: 2048 })).status).toBe(204);
    expect((await scene.bot.get(channel())).body.permission_overwrites).toEqual(
      [
        { id: scene.guildId, type: 0, allow: '0', deny: '2048' },
        { id: scene.other.id, type: 1, allow: '2048', deny: '0' },
      ].toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)),
    );
    expect((await scene.bot.post(scene.messages, { content: 'x' })).status).toBe(403);
    expect((await scene.other.post(scene.messages, { content: 'x' })).status).toBe(200);
    expect((await scene.bot.delete(overwrite(scene.guildId))).status).toBe(204);
    expect((await scene.bot.post(scene.messages, { content: 'x' })).status).toBe(200);
  });

  test('is 400, 403 and 404 for the same faults as overwrites of a new channel', async () => {
    const { status, body } = await put(scene.guildId, { type: 2, allow: [] });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { type: { _errors: [{}] }, allow: { _errors: [{}] } } },
    });
    expect(await put('1', { type: 0 })).toMatchObject({ status: 404, body: { code: 10009 } });
    expect(await put(scene.guildId, { type: 1 })).toMatchObject({ status: 404, body: { code: 10009 } });
    expect(await scene.bot.delete(overwrite('1'))).toMatchObject({ status: 404, body: { code: 10009 } });
    const manages = { type: 0, allow: String(Permission.ManageRoles) };
    expect(await put(scene.guildId, manages)).toMatchObject({ status: 403, body: { code: 50013 } });
    await scene.permit(Permission.ViewChannel | Permission.ManageChannels);
    expect(await put(scene.guildId, { type: 0 })).toMatchObject({ status: 403, body: { code: 50013 } });
    expect(await scene.bot.delete(overwrite(scene.guildId))).toMatchObject({ status: 403, body: { code: 50013 } });
  });
});

test('an unmodified discord.js manages channels, and its cache matches the server', async () => {
  const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${server.origin}/api` } });
  const ready = once(client, Events.ClientReady);
  await client.login(scene.bot.bot.token);
  await ready;
  try {
    const guild = client.guilds.cache.get(scene.guildId)!;
    const category = await guild.channels.create({ name: 'Category', type: ChannelType.GuildCategory });
    const text = await guild.channels.create({ name: 'text', parent: category.id, topic: 'x' });
    const voice = await guild.channels.create({ name: 'voice', type: ChannelType.GuildVoice, userLimit: 3 });
    await text.edit({ name: 'renamed', rateLimitPerUser: 5, nsfw: true });
    await text.permissionOverwrites.edit(guild.roles.everyone, { SendMessages: false });
    await text.permissionOverwrites.create(client.user!.id, { SendMessages: true });
    await text.permissionOverwrites.delete(client.user!.id);
    await category.permissionOverwrites.set([{ id: guild.id, deny: [PermissionFlagsBits.AddReactions] }]);
    await text.lockPermissions();
    await voice.setParent(category.id, { lockPermissions: false });
    await voice.setPosition(0);
    await guild.channels.setPositions([
      { channel: text.id, position: 8 },
      { channel: scene.channelId, position: 9 },
    ]);
    const gone = once(client, Events.ChannelDelete);
    await category.delete('done');
    await gone;
    const stored = (await scene.bot.get(channels())).body as { id: string }[];
    const cached = guild.channels.cache.map((one) => one.toJSON() as Record<string, unknown>);
    expect(cached.map(({ id }) => id).toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
    for (const one of stored as Record<string, unknown>[]) {
      const known = guild.channels.cache.get(String(one.id));
      expect(known).toMatchObject({ name: one.name, rawPosition: one.position, parentId: one.parent_id });
      const overwrites = known && 'permissionOverwrites' in known ? known.permissionOverwrites.cache : new Map();
      expect([...overwrites.keys()].toSorted()).toEqual(
        (one.permission_overwrites as { id: string }[]).map(({ id }) => id).toSorted(),
      );
    }
    expect(guild.channels.cache.get(text.id)).toMatchObject({ topic: 'x', rateLimitPerUser: 5, nsfw: true });
  } finally {
    await client.destroy();
  }
});
