import { once } from 'node:events';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { beforeEach, describe, expect } from 'vitest';
import { updateApplication } from '../../src/domain/applications/index.js';
import { installApplication } from '../../src/domain/installations/index.js';
import { Permission } from '../../src/domain/permissions.js';
import type { User } from '../../src/infra/database/index.js';
import { test } from '../harness/fixtures.js';
import { expectReference } from '../harness/reference.js';
import { openScene, type Scene } from '../harness/rest.js';
import { createPerson } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { addMember, callOf, createGuild } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
let ada: User;
let bob: User;
const members = (path = '') => `/guilds/${scene.guildId}/members${path}`;
const bans = (path = '') => `/guilds/${scene.guildId}/bans${path}`;
const roles = (path = '') => `/guilds/${scene.guildId}/roles${path}`;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  const owner = callOf(server.app, scene.guild.owner);
  const bot = { applicationId: scene.bot.bot.id, guildId: scene.guild.id, scopes: ['bot' as const] };
  await installApplication(owner, { ...bot, permissions: Permission.Administrator });
  [ada, bob] = [await createPerson(server.app), await createPerson(server.app)];
  for (const user of [ada, bob]) await addMember(server.app, scene.guild.id, user);
});

describe('members', () => {
  test('are listed in pages by id, with one per page by default', async () => {
    const first = await scene.bot.get(members());
    expect(first.body).toHaveLength(1);
    const all = (await scene.bot.get(members('?limit=1000'))).body;
    for (const member of all) expectReference('GuildMemberResponse', member);
    expect(all).toHaveLength(5);
    const rest = (await scene.bot.get(members(`?limit=2&after=${all[1].user.id}`))).body;
    expect(rest.map((member: { user: { id: string } }) => member.user.id)).toEqual([all[2].user.id, all[3].user.id]);
    for (const limit of [0, 1001, 'x']) expect((await scene.bot.get(members(`?limit=${limit}`))).status).toBe(400);
  });

  test('are not listed without the members intent (403 code 50001)', async () => {
    const call = callOf(server.app, scene.guild.owner);
    await updateApplication(call, { applicationId: scene.bot.bot.id, privilegedIntents: [] });
    expect(await scene.bot.get(members())).toMatchObject({ status: 403, body: { code: 50001 } });
    expect((await scene.bot.get(members(`/${ada.id}`))).status).toBe(200);
  });

  test('are found by either name, by id and as @me', async () => {
    const { body } = await scene.bot.get(members(`/search?query=${ada.username}&limit=10`));
    expect(body.map((member: { user: { id: string } }) => member.user.id)).toContain(String(ada.id));
    expect((await scene.bot.get(members('/search'))).status).toBe(400);
    for (const path of [members('/@me'), `/users/@me/guilds/${scene.guildId}/member`, members(`/${scene.bot.id}`)]) {
      expect(await scene.bot.get(path)).toMatchObject({ status: 200, body: { user: { id: scene.bot.id } } });
    }
    const other = await createPerson(server.app);
    expect(await scene.bot.get(members(`/${other.id}`))).toMatchObject({ status: 404, body: { code: 10007 } });
  });

  test('are edited: 200 with the member, or faults at their fields', async () => {
    const until = new Date(server.app.clock.now() + 60_000).toISOString();
    const json = { nick: 'Heron', communication_disabled_until: until, flags: 1, unknown: true };
    const { status, body } = await scene.bot.patch(members(`/${ada.id}`), json);
    expect({ status, body }).toMatchObject({ status: 200, body: { nick: 'Heron' } });
    expectReference('GuildMemberResponse', body);
    const late = new Date(server.app.clock.now() + 29 * 86_400_000).toISOString();
    const faulty: [object, string, string][] = [
      [{ nick: 5.5 }, 'nick', 'STRING_TYPE_CONVERT'],
      [{ nick: 'x'.repeat(33) }, 'nick', 'BASE_TYPE_BAD_LENGTH'],
      [{ roles: 'x' }, 'roles', 'LIST_TYPE_CONVERT'],
      [{ mute: 1 }, 'mute', 'BOOLEAN_TYPE_CONVERT'],
      [{ communication_disabled_until: 'soon' }, 'communication_disabled_until', 'DATE_TIME_TYPE_PARSE'],
      [{ communication_disabled_until: '0000-01-01T00:00Z' }, 'communication_disabled_until', 'DATE_TIME_TYPE_PARSE'],
      [
        { communication_disabled_until: late },
        'communication_disabled_until',
        'INVALID_COMMUNICATION_DISABLED_TIMESTAMP',
      ],
    ];
    for (const [wrong, field, code] of faulty) {
      const answer = await scene.bot.patch(members(`/${ada.id}`), wrong);
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 50035, errors: { [field]: { _errors: [{ code }] } } },
      });
    }
    expect(await scene.bot.patch(members(`/${ada.id}`), { mute: true })).toMatchObject({ body: { code: 40032 } });
  });

  test('can change their own nickname: 200 with the member, or with the nickname alone', async () => {
    expect((await scene.bot.patch(members('/@me'), { nick: 'Bot' })).body).toMatchObject({ nick: 'Bot' });
    expect((await scene.bot.patch(members('/@me/nick'), { nick: null })).body).toEqual({ nick: null });
  });
});

describe('bans', () => {
  test("are 204 with the header's reason, also if repeated, and 404 once lifted", async () => {
    const headers = { 'x-audit-log-reason': 'too%20loud' };
    const put = (json: object) => scene.bot.ask('PUT', bans(`/${ada.id}`), { json, headers });
    expect((await put({ delete_message_days: 7 })).status).toBe(204);
    expect((await put({ delete_message_seconds: 604_800 })).status).toBe(204);
    const { body } = await scene.bot.get(bans(`/${ada.id}`));
    expect(body).toMatchObject({ reason: 'too loud', user: { id: String(ada.id) } });
    expect((await scene.bot.get(bans())).body).toEqual([body]);
    expect((await scene.bot.delete(bans(`/${ada.id}`))).status).toBe(204);
    for (const ask of [scene.bot.get, scene.bot.delete]) {
      expect(await ask(bans(`/${ada.id}`))).toMatchObject({ status: 404, body: { code: 10026 } });
    }
  });

  test('are 400 if the deletion period of messages is too long', async () => {
    for (const json of [
      { delete_message_seconds: 604_801 },
      { delete_message_days: 8 },
      { delete_message_seconds: -1 },
    ]) {
      expect((await scene.bot.ask('PUT', bans(`/${ada.id}`), { json })).status).toBe(400);
    }
  });

  test('of several users: 200 with those banned, 400 code 500000 if none was, 400 for more than 200', async () => {
    const path = `/guilds/${scene.guildId}/bulk-ban`;
    const ids = [String(ada.id), String(bob.id)];
    const answer = await scene.bot.post(path, { user_ids: [...ids, '1', ids[0]] });
    expect(answer).toMatchObject({ status: 200, body: { banned_users: ids, failed_users: ['1'] } });
    expect(await scene.bot.post(path, { user_ids: ids })).toMatchObject({ status: 400, body: { code: 500_000 } });
    const many = await scene.bot.post(path, { user_ids: Array(201).fill('1') });
    expect(many).toMatchObject({ status: 400, body: { code: 50035, errors: { user_ids: expect.anything() } } });
  });
});

describe('roles', () => {
  test('are created, listed, changed and deleted', async () => {
    const made = await scene.bot.post(roles(), { colors: { primary_color: 255, secondary_color: 1 }, color: 3 });
    expect(made).toMatchObject({ status: 200, body: { name: 'new role', color: 255, position: 1 } });
    expectReference('GuildRoleResponse', made.body);
    const { id } = made.body;
    expect((await scene.bot.get(roles(`/${id}`))).body).toEqual(made.body);
    const changed = await scene.bot.patch(roles(`/${id}`), { name: 'Helpers', permissions: '8', hoist: null });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Helpers', permissions: '8', color: 255 } });
    expect((await scene.bot.get(roles())).body).toContainEqual(changed.body);
    expect((await scene.bot.put(members(`/${ada.id}/roles/${id}`))).status).toBe(204);
    expect((await scene.bot.get(roles('/member-counts'))).body[id]).toBe(1);
    expect((await scene.bot.delete(members(`/${ada.id}/roles/${id}`))).status).toBe(204);
    expect((await scene.bot.delete(roles(`/${id}`))).status).toBe(204);
    expect(await scene.bot.get(roles(`/${id}`))).toMatchObject({ status: 404, body: { code: 10011 } });
    expect(await scene.bot.delete(roles(`/${scene.guildId}`))).toMatchObject({ status: 400, body: { code: 50028 } });
    const elsewhere = await createGuild(server.app);
    const foreign = await scene.bot.patch(roles(`/${elsewhere.id}`), { name: 'x' });
    expect(foreign).toMatchObject({ status: 404, body: { code: 10011 } });
  });

  test.each([
    [{ name: '' }, 'name', 'BASE_TYPE_BAD_LENGTH'],
    [{ permissions: 'all' }, 'permissions', 'BASE_TYPE_INVALID'],
    [{ color: 0x1_00_00_00 }, 'color', 'NUMBER_TYPE_MAX'],
    [{ hoist: 'yes' }, 'hoist', 'BOOLEAN_TYPE_CONVERT'],
  ])('are refused with 400 for %j', async (json, field, code) => {
    const { status, body } = await scene.bot.post(roles(), json);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 50035, errors: { [field]: { _errors: [{ code }] } } });
  });
});

test('an unmodified discord.js moderates a guild, and its caches follow', async () => {
  const { GuildMembers, GuildModeration, Guilds } = GatewayIntentBits;
  const client = new Client({
    intents: [Guilds, GuildMembers, GuildModeration],
    rest: { api: `${server.origin}/api` },
  });
  const ready = once(client, Events.ClientReady);
  await client.login(scene.bot.bot.token);
  await ready;
  try {
    const guild = client.guilds.cache.get(scene.guildId)!;
    expect((await guild.members.list({ limit: 10 })).size).toBe(5);
    expect((await guild.members.search({ query: ada.username })).has(String(ada.id))).toBe(true);
    const member = await guild.members.fetch(String(ada.id));
    const role = await guild.roles.create({ name: 'Helpers', colors: { primaryColor: 'Red' }, hoist: true });
    await member.roles.add(role);
    await member.setNickname('Heron', 'a reason');
    await member.timeout(60_000, 'calm down');
    expect(member.isCommunicationDisabled()).toBe(true);
    expect((await guild.members.fetch({ user: String(ada.id), force: true })).roles.cache.has(role.id)).toBe(true);
    await role.edit({ name: 'Otters', mentionable: true });
    expect(guild.roles.cache.get(role.id)).toMatchObject({ name: 'Otters', mentionable: true });
    const deleted = once(client, Events.GuildRoleDelete);
    await role.delete();
    await deleted;
    expect(member.roles.cache.has(role.id)).toBe(false);
    const banned = once(client, Events.GuildBanAdd);
    const removed = once(client, Events.GuildMemberRemove);
    await guild.bans.create(String(ada.id), { deleteMessageSeconds: 60, reason: 'enough' });
    expect((await banned)[0]).toMatchObject({ user: { id: String(ada.id) } });
    await removed;
    expect(guild.members.cache.has(String(ada.id))).toBe(false);
    expect((await guild.bans.fetch(String(ada.id))).reason).toBe('enough');
    await guild.bans.remove(String(ada.id));
    const left = once(client, Events.GuildMemberRemove);
    await guild.members.kick(String(bob.id));
    await left;
    expect((await guild.members.fetchMe()).id).toBe(scene.bot.id);
  } finally {
    await client.destroy();
  }
});
