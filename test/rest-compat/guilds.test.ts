import { beforeEach, describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { dataUri, PIXEL } from '../harness/images.js';
import { expectReference } from '../harness/reference.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { createChannel, createGuild } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(Permission.ManageGuild | Permission.ViewChannel);
});

const path = () => `/guilds/${scene.guildId}`;
const voiceChannel = () =>
  server.app.db.reader.channel.findFirstOrThrow({ where: { guildId: scene.guild.id, type: 2 } });
const entries = () =>
  server.app.db.reader.auditEntry.findMany({ where: { guildId: scene.guild.id, action: 'GUILD_UPDATE' } });

describe('PATCH /guilds/{guild.id}', () => {
  test('returns the whole guild, as GET does from then on', async () => {
    const voice = await voiceChannel();
    const json = {
      name: 'Harbour',
      description: 'all aboard',
      icon: dataUri(PIXEL),
      afk_channel_id: String(voice.id),
      afk_timeout: 900,
      system_channel_id: scene.channelId,
      system_channel_flags: 5,
      verification_level: 2,
      default_message_notifications: 1,
      explicit_content_filter: 2,
      preferred_locale: 'de',
    };
    const { status, body } = await scene.bot.patch(path(), { ...json, banner: null, features: [], region: 'x' });
    const { icon: _icon, ...shown } = json;
    expect({ status, body }).toMatchObject({ status: 200, body: { id: scene.guildId, ...shown } });
    expectReference('GuildResponse', body);
    expect(body.icon).toMatch(/^[0-9a-f]{32}$/);
    expect((await scene.bot.get(path())).body).toEqual(body);
    const picture = await fetch(`${server.origin}/cdn/icons/${scene.guildId}/${body.icon}.png`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    await scene.bot.patch(path(), { icon: null });
    expect((await fetch(picture.url)).status).toBe(404);
  });

  test('refuses to change the owner, and accepts the current owner_id without effect', async () => {
    const before = (await scene.bot.get(path())).body;
    const audited = await entries();
    for (const owner of [scene.bot.id, '1', String(scene.guild.channel.id)]) {
      expect(await scene.bot.patch(path(), { name: 'Taken', owner_id: owner })).toMatchObject({
        status: 403,
        body: { code: 50013, message: 'Server ownership cannot be transferred.' },
      });
    }
    expect(await scene.bot.patch(path(), { owner_id: 'me' })).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { owner_id: {} } },
    });
    for (const owner of [before.owner_id, null]) {
      expect(await scene.bot.patch(path(), { owner_id: owner })).toMatchObject({ status: 200, body: before });
    }
    expect(await entries()).toEqual(audited);
  });

  test('refuses unsupported fields, but accepts their current values', async () => {
    const picture = dataUri(PIXEL);
    const asked: Record<string, unknown[]> = {
      splash: [picture],
      discovery_splash: [picture],
      banner: [picture, ''],
      home_header: [picture],
      rules_channel_id: [scene.channelId],
      public_updates_channel_id: [scene.channelId, '1'],
      safety_alerts_channel_id: [scene.channelId],
      features: [['COMMUNITY'], 'COMMUNITY', {}],
      premium_progress_bar_enabled: [true, 1],
    };
    for (const [field, values] of Object.entries(asked)) {
      for (const value of values) {
        const { status, body } = await scene.bot.patch(path(), { name: 'Other', [field]: value });
        expect({ field, status, body }).toMatchObject({
          field,
          status: 400,
          body: { code: 50035, errors: { [field]: { _errors: [{ message: 'No server has this here.' }] } } },
        });
      }
    }
    const { body: shown } = await scene.bot.get(path());
    const asItIs = Object.fromEntries(Object.keys(asked).map((field) => [field, shown[field]]));
    expect(asItIs).toMatchObject({ banner: null, features: [], premium_progress_bar_enabled: false });
    expect(await scene.bot.patch(path(), { ...asItIs, region: 'elsewhere' })).toMatchObject({
      status: 200,
      body: shown,
    });
  });

  test('null clears optional fields, resets the others, and keeps the name', async () => {
    const first = (await scene.bot.get(path())).body;
    const voice = await voiceChannel();
    await scene.bot.patch(path(), {
      description: 'x',
      afk_channel_id: String(voice.id),
      afk_timeout: 60,
      system_channel_id: scene.channelId,
      system_channel_flags: 1,
      verification_level: 4,
      default_message_notifications: 1,
      explicit_content_filter: 1,
      preferred_locale: 'fr',
    });
    const nothing = Object.fromEntries(
      [
        'name',
        'description',
        'icon',
        'afk_channel_id',
        'afk_timeout',
        'system_channel_id',
        'system_channel_flags',
        'verification_level',
        'default_message_notifications',
        'explicit_content_filter',
        'preferred_locale',
      ].map((key) => [key, null]),
    );
    expect((await scene.bot.patch(path(), nothing)).body).toEqual({ ...first, system_channel_id: null });
  });

  test('is 400 with the path of each fault', async () => {
    const elsewhere = await createGuild(server.app);
    const category = await createChannel(server.app, scene.guild.id, 'group', 4);
    const fault = (code: unknown = expect.anything()) => ({ _errors: [{ code }] });
    const faulty: [object, object][] = [
      [{ name: 'x' }, { name: fault('BASE_TYPE_BAD_LENGTH') }],
      [{ name: 5.5 }, { name: fault('STRING_TYPE_CONVERT') }],
      [{ description: 'x'.repeat(301) }, { description: fault('BASE_TYPE_BAD_LENGTH') }],
      [{ icon: 'x' }, { icon: fault('IMAGE_INVALID') }],
      [{ icon: 'data:image/png;base64,AAAA' }, { icon: fault('IMAGE_INVALID') }],
      [{ afk_timeout: 61 }, { afk_timeout: fault('BASE_TYPE_CHOICES') }],
      [{ afk_channel_id: 'x' }, { afk_channel_id: fault('NUMBER_TYPE_COERCE') }],
      [{ afk_channel_id: scene.channelId }, { afk_channel_id: fault('CHANNEL_INVALID') }],
      [{ afk_channel_id: '1' }, { afk_channel_id: fault('CHANNEL_INVALID') }],
      [{ system_channel_id: String(elsewhere.channel.id) }, { system_channel_id: fault('CHANNEL_INVALID') }],
      [{ system_channel_id: String(category.id) }, { system_channel_id: fault('CHANNEL_INVALID') }],
      [{ system_channel_flags: -1 }, { system_channel_flags: fault('NUMBER_TYPE_MIN') }],
      [{ verification_level: 5 }, { verification_level: fault() }],
      [{ default_message_notifications: 2 }, { default_message_notifications: fault() }],
      [{ explicit_content_filter: 3 }, { explicit_content_filter: fault() }],
      [{ preferred_locale: 'xx' }, { preferred_locale: fault() }],
    ];
    for (const [json, errors] of faulty) {
      const { status, body } = await scene.bot.patch(path(), json);
      expect({ json, status, body }).toMatchObject({ json, status: 400, body: { code: 50035, errors } });
    }
    expect(await entries()).toEqual([]);
  });

  test('is 403 without ManageGuild, and for a bot that is not a member', async () => {
    await scene.permit(Permission.ViewChannel);
    expect(await scene.bot.patch(path(), { name: 'No' })).toMatchObject({ status: 403, body: { code: 50013 } });
    expect(await scene.stranger.patch(path(), { name: 'No' })).toMatchObject({ status: 403, body: { code: 50001 } });
    expect(await scene.bot.patch('/guilds/1', { name: 'No' })).toMatchObject({ status: 404, body: { code: 10004 } });
  });

  test('publishes the whole guild to its bots, and audits the changes', async () => {
    const client = await GatewayClient.open(server.origin);
    await client.ready(scene.other.bot.token, { intents: 1 });
    await scene.bot.ask('PATCH', path(), {
      json: { name: 'Quay', system_channel_id: null, verification_level: 0 },
      headers: { 'x-audit-log-reason': 'spring' },
    });
    const { body } = await scene.bot.get(path());
    expect((await client.event('GUILD_UPDATE')).d).toEqual(body);
    await client.close();
    expect(await entries()).toMatchObject([
      {
        targetId: scene.guild.id,
        reason: 'spring',
        changes: { name: { old: 'Guild', new: 'Quay' }, systemChannelId: { old: scene.channelId, new: null } },
      },
    ]);
    await scene.bot.patch(path(), { name: 'Quay' });
    expect(await entries()).toHaveLength(1);
  });
});
