import { beforeEach, describe, expect } from 'vitest';
import { ALL_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import { putAnswered, putInteraction } from '../harness/interaction-rows.js';
import { expectReference } from '../harness/reference.js';
import { ask, openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});
beforeEach(() => scene.permit(Permission.ViewChannel | Permission.ManageGuild));

const REGION = { id: 'local', name: 'Local', custom: false, deprecated: false, optimal: true };

/** Paths below a guild, whether they need ManageGuild, the answer and its schema in the reference. */
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

describe('a list of guild resources that Causeway does not have', () => {
  test.each(OF_GUILD)('%s is answered as empty', async (path, takesRight, answer, schema) => {
    const { status, body } = await scene.bot.get(`/guilds/${scene.guildId}/${path}`);
    expect({ status, body }).toEqual({ status: 200, body: answer() });
    if (schema) expectReference(schema, body);
    expect(await scene.stranger.get(`/guilds/${scene.guildId}/${path}`)).toMatchObject({ body: { code: 50001 } });
    expect(await scene.bot.get(`/guilds/1/${path}`)).toMatchObject({ status: 404, body: { code: 10004 } });
    await scene.permit(Permission.ViewChannel);
    const { status: then } = await scene.bot.get(`/guilds/${scene.guildId}/${path}`);
    expect(then).toBe(takesRight ? 403 : 200);
  });

  test('a single one of them is answered as unknown', async () => {
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

  test('a guild cannot get a vanity URL', async () => {
    const path = `/guilds/${scene.guildId}/vanity-url`;
    expect(await scene.bot.patch(path, { code: 'mine' })).toMatchObject({ status: 400, body: { code: 50020 } });
    expect(await scene.bot.patch(path, { code: null })).toMatchObject({ status: 200, body: { code: null, uses: 0 } });
    expect(await scene.bot.patch(path, { code: 5.5 })).toMatchObject({ status: 400, body: { code: 50035 } });
    await scene.permit(Permission.ViewChannel);
    expect(await scene.bot.patch(path, { code: 'mine' })).toMatchObject({ status: 403, body: { code: 50013 } });
  });
});

describe('a list of resources that Causeway does not have', () => {
  test.each(['skus', 'entitlements', 'role-connections/metadata'])(
    '%s of an application is answered as empty',
    async (path) => {
      expect(await scene.bot.get(`/applications/${scene.bot.id}/${path}`)).toMatchObject({ status: 200, body: [] });
      expect(await scene.other.get(`/applications/${scene.bot.id}/${path}`)).toMatchObject({
        status: 403,
        body: { code: 20012 },
      });
    },
  );

  test('voice regions have one entry; default sounds, sticker packs and detectable games have none', async () => {
    expect((await scene.bot.get('/voice/regions')).body).toEqual([REGION]);
    expectReference('VoiceRegionResponse', REGION);
    expect((await scene.bot.get('/soundboard-default-sounds')).body).toEqual([]);
    expect((await ask(server, 'GET', '/sticker-packs')).body).toEqual({ sticker_packs: [] });
    expect(await ask(server, 'GET', '/applications/detectable')).toMatchObject({ status: 200, body: [] });
  });
});

describe('a read-only view of a guild', () => {
  test('the preview is readable by members', async () => {
    const { status, body } = await scene.bot.get(`/guilds/${scene.guildId}/preview`);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id: scene.guildId, approximate_member_count: 3, emojis: [], features: [] },
    });
    expectReference('GuildPreviewResponse', body);
    expect(await scene.stranger.get(`/guilds/${scene.guildId}/preview`)).toMatchObject({ status: 403 });
  });

  test('the integrations list the applications and need ManageGuild', async () => {
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

describe('an unsupported message feature is refused and nothing is sent', () => {
  const POLL = { question: { text: 'Tea?' }, answers: [{ poll_media: { text: 'Yes' } }] };
  beforeEach(() => scene.permit(ALL_PERMISSIONS & ~Permission.Administrator));
  const messages = () => server.app.db.reader.message.count({ where: { channelId: BigInt(scene.channelId) } });

  test.each([
    ['a poll', { poll: POLL }, { poll: { _errors: [{ code: 'BASE_TYPE_INVALID' }] } }],
    ['a poll next to text', { content: 'x', poll: POLL }, { poll: { _errors: [{ code: 'BASE_TYPE_INVALID' }] } }],
    [
      'a forward',
      { message_reference: { type: 1, message_id: '1', channel_id: '1' } },
      { message_reference: { type: { _errors: [{ code: 'BASE_TYPE_CHOICES' }] } } },
    ],
  ])('%s', async (_what, json, errors) => {
    const before = await messages();
    expect(await scene.bot.post(scene.messages, json)).toMatchObject({ status: 400, body: { code: 50035, errors } });
    expect(await messages()).toBe(before);
  });

  test('a poll in an interaction response or in its edit', async () => {
    const at = { bot: scene.bot.bot, guild: scene.guild };
    const refused = { status: 400, body: { code: 50035, errors: { data: { poll: {} } } } };
    const { interaction, token } = await putInteraction(server.app, at);
    for (const type of [4, 7]) {
      const json = { type, data: { content: 'x', poll: POLL } };
      expect(await ask(server, 'POST', `/interactions/${interaction.id}/${token}/callback`, { json })).toMatchObject(
        refused,
      );
    }
    const { token: answered } = await putAnswered(server.app, at);
    const path = `/webhooks/${scene.bot.id}/${answered}`;
    const ofAnswer = { status: 400, body: { code: 50035, errors: { poll: {} } } };
    expect(await ask(server, 'POST', path, { json: { poll: POLL } })).toMatchObject(ofAnswer);
    expect(await ask(server, 'PATCH', `${path}/messages/@original`, { json: { poll: POLL } })).toMatchObject(ofAnswer);
  });

  test('crosspost, follower and poll routes do not exist', async () => {
    const { id } = await scene.send();
    const unrouted: ['GET' | 'POST', string][] = [
      ['POST', `${scene.messages}/${id}/crosspost`],
      ['POST', `/channels/${scene.channelId}/followers`],
      ['POST', `/channels/${scene.channelId}/polls/${id}/expire`],
      ['GET', `/channels/${scene.channelId}/polls/${id}/answers/1`],
    ];
    for (const [method, path] of unrouted) {
      expect({ path, ...(await scene.bot.ask(method, path)) }).toMatchObject({ path, status: 404, body: { code: 0 } });
    }
    expect((await scene.bot.get(`${scene.messages}/${id}`)).body.flags).toBe(0);
  });
});
