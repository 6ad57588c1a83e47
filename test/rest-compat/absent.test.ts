import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { expectReference } from '../harness/reference.js';
import { ask, openScene, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;
beforeAll(async () => {
  server = await startServer();
  scene = await openScene(server);
});
beforeEach(() => scene.permit(Permission.ViewChannel | Permission.ManageGuild));
afterAll(() => server.stop());

const REGION = { id: 'local', name: 'Local', custom: false, deprecated: false, optimal: true };

/** What of a server is asked for, whether that takes ManageGuild, what is answered, and the reference's schema of that. */
const OF_GUILD: [path: string, takesRight: boolean, answer: () => unknown, schema?: string][] = [
  ['scheduled-events', false, () => []],
  ['auto-moderation/rules', true, () => []],
  ['stickers', false, () => []],
  ['templates', true, () => []],
  ['threads/active', false, () => ({ threads: [], members: [], has_more: false }), 'ThreadsResponse'],
  ['regions', false, () => [REGION]],
  ['widget', true, () => ({ enabled: false, channel_id: null }), 'WidgetSettingsResponse'],
  ['welcome-screen', true, () => ({ description: null, welcome_channels: [] }), 'GuildWelcomeScreenResponse'],
  [
    'onboarding',
    false,
    () => ({ guild_id: scene.guildId, prompts: [], default_channel_ids: [], enabled: false, mode: 0 }),
    'UserGuildOnboardingResponse',
  ],
  ['soundboard-sounds', false, () => ({ items: [] }), 'ListGuildSoundboardSoundsResponse'],
  ['vanity-url', true, () => ({ code: null, uses: 0 }), 'VanityURLResponse'],
];

describe('what a server has none of is answered as empty', () => {
  test.each(OF_GUILD)('%s', async (path, takesRight, answer, schema) => {
    const { status, body } = await scene.bot.get(`/guilds/${scene.guildId}/${path}`);
    expect({ status, body }).toEqual({ status: 200, body: answer() });
    if (schema) expectReference(schema, body);
    expect(await scene.stranger.get(`/guilds/${scene.guildId}/${path}`)).toMatchObject({ body: { code: 50001 } });
    expect(await scene.bot.get(`/guilds/1/${path}`)).toMatchObject({ status: 404, body: { code: 10004 } });
    await scene.permit(Permission.ViewChannel);
    const { status: then } = await scene.bot.get(`/guilds/${scene.guildId}/${path}`);
    expect(then).toBe(takesRight ? 403 : 200);
  });

  test('and one of them is unknown', async () => {
    const guild = `/guilds/${scene.guildId}`;
    const unknown: [string, number, number][] = [
      [`${guild}/soundboard-sounds/1`, 404, 10097],
      ['/stickers/1', 404, 10060],
      [`${guild}/widget.json`, 403, 50004],
      ['/guilds/1/widget.json', 404, 10004],
    ];
    for (const [path, status, code] of unknown) {
      expect({ path, ...(await scene.bot.get(path)) }).toMatchObject({ path, status, body: { code } });
    }
    expect(await ask(server, 'GET', `${guild}/widget.json`)).toMatchObject({ status: 403, body: { code: 50004 } });
  });

  test('no vanity address can be had', async () => {
    const path = `/guilds/${scene.guildId}/vanity-url`;
    expect(await scene.bot.patch(path, { code: 'mine' })).toMatchObject({ status: 400, body: { code: 50020 } });
    expect(await scene.bot.patch(path, { code: null })).toMatchObject({ status: 200, body: { code: null, uses: 0 } });
    expect(await scene.bot.patch(path, { code: 5 })).toMatchObject({ status: 400, body: { code: 50035 } });
    await scene.permit(Permission.ViewChannel);
    expect(await scene.bot.patch(path, { code: 'mine' })).toMatchObject({ status: 403, body: { code: 50013 } });
  });
});

describe('what the service has none of is answered as empty', () => {
  test.each(['skus', 'entitlements', 'role-connections/metadata'])('%s of an application', async (path) => {
    expect(await scene.bot.get(`/applications/${scene.bot.id}/${path}`)).toMatchObject({ status: 200, body: [] });
    expect(await scene.other.get(`/applications/${scene.bot.id}/${path}`)).toMatchObject({
      status: 403,
      body: { code: 20012 },
    });
  });

  test('regions are one, default sounds and sticker packs none', async () => {
    expect((await scene.bot.get('/voice/regions')).body).toEqual([REGION]);
    expectReference('VoiceRegionResponse', REGION);
    expect((await scene.bot.get('/soundboard-default-sounds')).body).toEqual([]);
    expect((await ask(server, 'GET', '/sticker-packs')).body).toEqual({ sticker_packs: [] });
  });
});

describe('what there is of a server beside its settings', () => {
  test('a preview, for its members', async () => {
    const { status, body } = await scene.bot.get(`/guilds/${scene.guildId}/preview`);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id: scene.guildId, approximate_member_count: 3, emojis: [], features: [] },
    });
    expectReference('GuildPreviewResponse', body);
    expect(await scene.stranger.get(`/guilds/${scene.guildId}/preview`)).toMatchObject({ status: 403 });
  });

  test('applications as integrations, for who manages it', async () => {
    const { status, body } = await scene.bot.get(`/guilds/${scene.guildId}/integrations`);
    expect(status).toBe(200);
    expect(body).toHaveLength(2);
    const own = body.find((one: { application: { id: string } }) => one.application.id === scene.bot.id);
    expect(own).toMatchObject({
      type: 'discord',
      scopes: ['bot'],
      application: { summary: '', bot: { id: scene.bot.id } },
    });
    for (const one of body) expectReference('DiscordIntegrationResponse', one);
    await scene.permit(Permission.ViewChannel);
    expect((await scene.bot.get(`/guilds/${scene.guildId}/integrations`)).status).toBe(403);
  });
});
