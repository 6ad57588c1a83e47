import { beforeEach, describe, expect } from 'vitest';
import { joinGuild } from '../../src/domain/guilds/index.js';
import { createInvite } from '../../src/domain/invites/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import type { Loose } from '../harness/graphql.js';
import { expectReference } from '../harness/reference.js';
import { ask, openScene, type Scene } from '../harness/rest.js';
import { createPerson } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { callOf, createChannel } from '../harness/world.js';

const INVITING = Permission.ViewChannel | Permission.CreateInstantInvite;

let server: TestServer;
let scene: Scene;
test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(INVITING);
});

const ofChannel = () => `/channels/${scene.channelId}/invites`;
const ofGuild = () => `/guilds/${scene.guildId}/invites`;
const fault = (code: unknown) => ({ _errors: [{ code }] });

async function make(json: object = { unique: true }): Promise<Loose> {
  const { status, body } = await scene.bot.post(ofChannel(), json);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

describe('POST /channels/{channel.id}/invites', () => {
  test('returns the invite with its target and settings', async () => {
    const made = await make({ max_age: 60, max_uses: 2, temporary: true, target_type: 1, role_ids: [] });
    expect(made).toMatchObject({
      type: 0,
      code: expect.stringMatching(/^\w{8}$/),
      guild: { id: scene.guildId, name: 'Guild', features: [], verification_level: 0 },
      guild_id: scene.guildId,
      channel: { id: scene.channelId, name: 'general', type: 0 },
      inviter: { id: scene.bot.id },
      uses: 0,
      max_uses: 2,
      max_age: 60,
      temporary: true,
    });
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(60_000);
    expectReference('GuildInviteResponse', made);
    expect(await make({})).toMatchObject({ max_age: 86_400, max_uses: 0, temporary: false });
    expect(await make({ max_age: 0 })).toMatchObject({ max_age: 0, expires_at: null });
  });

  test("returns the bot's own unused invite with the same settings, unless `unique` is set", async () => {
    const { code } = await make({ max_age: 3_600 });
    expect((await make({ max_age: 3_600 })).code).toBe(code);
    for (const other of [{ max_age: 3_601 }, { max_age: 3_600, max_uses: 1 }, { max_age: 3_600, temporary: true }]) {
      expect((await make(other)).code).not.toBe(code);
    }
    expect((await make({ max_age: 3_600, unique: true })).code).not.toBe(code);
    expect((await scene.other.post(ofChannel(), { max_age: 3_600 })).body.code).not.toBe(code);
    await joinGuild(callOf(server.app, await createPerson(server.app)), code);
    expect((await make({ max_age: 3_600 })).code).not.toBe(code);
  });

  test('creates one invite for ten equal requests at once', async () => {
    const call = callOf(server.app, scene.bot.bot.user);
    const made = await Promise.all(
      Array.from({ length: 10 }, () => createInvite(call, scene.guild.channel.id, { reusing: true })),
    );
    expect(new Set(made.map(({ code }) => code)).size).toBe(1);
    expect(await server.app.db.reader.invite.count({ where: { guildId: scene.guild.id } })).toBe(1);
  });

  test('is 400 with the path of each fault, 403 without the permission, and 404 for an unknown channel', async () => {
    const faulty: [unknown, object][] = [
      [{ max_age: 604_801 }, { max_age: fault('NUMBER_TYPE_MAX') }],
      [{ max_age: -1 }, { max_age: fault('NUMBER_TYPE_MIN') }],
      [{ max_uses: 101 }, { max_uses: fault('NUMBER_TYPE_MAX') }],
      [{ max_uses: 'x' }, { max_uses: fault('NUMBER_TYPE_COERCE') }],
      [{ temporary: 1 }, { temporary: fault('BOOLEAN_TYPE_CONVERT') }],
      [{ unique: 'yes' }, { unique: fault('BOOLEAN_TYPE_CONVERT') }],
    ];
    for (const [json, errors] of faulty) {
      expect(await scene.bot.post(ofChannel(), json)).toMatchObject({ status: 400, body: { code: 50035, errors } });
    }
    expect(await scene.bot.post('/channels/1/invites', {})).toMatchObject({ status: 404, body: { code: 10003 } });
    expect(await scene.stranger.post(ofChannel(), {})).toMatchObject({ status: 403, body: { code: 50001 } });
    await scene.permit(Permission.ViewChannel);
    expect(await scene.bot.post(ofChannel(), {})).toMatchObject({ status: 403, body: { code: 50013 } });
  });

  test('a temporary invite makes the joining user a temporary member', async () => {
    const [visitor, resident] = [await createPerson(server.app), await createPerson(server.app)];
    await joinGuild(callOf(server.app, visitor), (await make({ temporary: true })).code);
    await joinGuild(callOf(server.app, resident), (await make({ temporary: false })).code);
    const where = { guildId: scene.guild.id, userId: { in: [visitor.id, resident.id] } };
    const members = await server.app.db.reader.member.findMany({ where, orderBy: { userId: 'asc' } });
    expect(members.map(({ temporary }) => temporary)).toEqual([true, false]);
  });
});

describe('invites are listed', () => {
  test('for a channel, with Manage Channels', async () => {
    expect(await scene.bot.get(ofChannel())).toMatchObject({ status: 403, body: { code: 50013 } });
    const made = await make();
    const elsewhere = await createChannel(server.app, scene.guild.id, 'other');
    await scene.bot.post(`/channels/${elsewhere.id}/invites`, {});
    await scene.permit(Permission.ViewChannel | Permission.ManageChannels);
    expect((await scene.bot.get(ofChannel())).body).toEqual([made]);
  });

  test('for a guild, with Manage Server; with View Audit Log they lack their usage', async () => {
    expect(await scene.bot.get(ofGuild())).toMatchObject({ status: 403, body: { code: 50013 } });
    const made = [await make(), await make()];
    await scene.permit(Permission.ManageGuild);
    const listed = (await scene.bot.get(ofGuild())).body;
    expect(listed).toHaveLength(2);
    expect(listed).toEqual(expect.arrayContaining(made));
    await scene.permit(Permission.ViewAuditLog);
    const [shown] = (await scene.bot.get(ofGuild())).body;
    expect(shown).not.toHaveProperty('uses');
    expectReference('GuildInviteResponse', shown);
  });
});

describe('/invites/{code}', () => {
  test('GET returns an invite to any caller, with counts on request', async () => {
    const { code } = await make();
    const { status, body } = await ask(server, 'GET', `/invites/${code}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { code, guild: { id: scene.guildId } } });
    expectReference('GuildInviteResponse', body);
    expect(body).not.toHaveProperty('uses');
    expect(body).not.toHaveProperty('approximate_member_count');
    const counted = await scene.stranger.get(`/invites/${code}?with_counts=true`);
    expect(counted.body).toMatchObject({ approximate_member_count: 3 });
    for (const none of ['aaaaaaaa', 'x', '%00', 'a'.repeat(500)]) {
      expect(await scene.bot.get(`/invites/${none}`)).toMatchObject({ status: 404, body: { code: 10006 } });
    }
  });

  test('DELETE returns the invite, publishes INVITE_DELETE to channel managers, and removes it', async () => {
    await scene.permit(INVITING | Permission.ManageChannels);
    const client = await GatewayClient.open(server.origin);
    await client.ready(scene.other.bot.token, { intents: (1 << 6) | 1 });
    const made = await make({ temporary: true });
    expect((await client.event('INVITE_CREATE')).d).toMatchObject({ code: made.code, temporary: true });
    expect(await scene.other.delete(`/invites/${made.code}`)).toMatchObject({ status: 200, body: made });
    expect((await client.event('INVITE_DELETE')).d).toMatchObject({ code: made.code });
    await client.close();
    expect(await scene.other.delete(`/invites/${made.code}`)).toMatchObject({ status: 404, body: { code: 10006 } });
    const other = await make();
    await scene.permit(INVITING);
    expect(await scene.other.delete(`/invites/${other.code}`)).toMatchObject({ status: 403, body: { code: 50013 } });
    expect(await scene.stranger.delete(`/invites/${other.code}`)).toMatchObject({ status: 404 });
    expect((await scene.bot.delete(`/invites/${other.code}`)).status).toBe(200);
  });
});
