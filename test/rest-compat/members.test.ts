import { beforeEach, describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import type { Role } from '../../src/infra/database/index.js';
import { hearGuild } from '../harness/bus.js';
import { test } from '../harness/fixtures.js';
import { grantCode, inForm, postForm, REDIRECT_URI } from '../harness/oauth.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { expectReference } from '../harness/reference.js';
import { ask, type RestAnswer } from '../harness/rest.js';
import { permitEveryone } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let owner: Person;
let joiner: Person;
let application: MadeApplication;
let accessToken: string;
let guild: MadeGuild;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
  joiner = await signUp(server, 'joiner');
  application = await createApplication(owner);
  await server.app.db.writer.application.update({
    where: { id: BigInt(application.id) },
    data: { redirectUris: [REDIRECT_URI] },
  });
  accessToken = await tokenOfJoiner();
});

const EVERYTHING_BUT_RANK =
  Permission.CreateInstantInvite |
  Permission.ManageNicknames |
  Permission.ManageRoles |
  Permission.MuteMembers |
  Permission.DeafenMembers;

beforeEach(async () => {
  guild = await guildWithBot(EVERYTHING_BUT_RANK);
});

async function tokenOfJoiner(): Promise<string> {
  const code = await grantCode(server, joiner, application, { scope: 'guilds.join' });
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...inForm(application) };
  return (await postForm(server, form)).body.access_token;
}

/** Creates a guild whose `@everyone` has no permissions and whose bot has only the given ones. */
async function guildWithBot(permissions: bigint): Promise<MadeGuild> {
  const made = await createGuild(owner);
  await permitEveryone(server.app, BigInt(made.id), 0n);
  await install(owner, application, made, { permissions: String(permissions) });
  return made;
}

/** Creates a role at `position`. The bot's own role is at 10. */
async function roleAt(position: number, managed = false): Promise<Role> {
  const { writer } = server.app.db;
  const guildId = BigInt(guild.id);
  await writer.role.updateMany({ where: { guildId, applicationId: BigInt(application.id) }, data: { position: 10 } });
  return writer.role.create({ data: { id: server.app.nextId(), guildId, name: `at ${position}`, position, managed } });
}

function join(more: object = {}, headers: Record<string, string> = {}): Promise<RestAnswer> {
  return ask(server, 'PUT', `/guilds/${guild.id}/members/${joiner.id}`, {
    json: { access_token: accessToken, ...more },
    headers: { authorization: `Bot ${application.botToken}`, ...headers },
  });
}

function membership() {
  return server.app.db.reader.member.findUnique({
    where: { guildId_userId: { guildId: BigInt(guild.id), userId: BigInt(joiner.id) } },
    include: { roles: true },
  });
}

describe('PUT /guilds/{id}/members/{user}', () => {
  describe('201', () => {
    test('returns the new member with the given nickname and roles', async () => {
      const [one, two] = [await roleAt(3), await roleAt(9)];
      const { events, close } = hearGuild(server, guild.id);
      const roles = [String(two.id), String(one.id), String(one.id)];
      const { status, body } = await join({ nick: ' Newcomer ', roles }, { 'x-audit-log-reason': 'asked%20for' });
      close();
      expect(status).toBe(201);
      expectReference('GuildMemberResponse', body);
      expect(body).toMatchObject({ user: { id: joiner.id }, nick: 'Newcomer', mute: false, deaf: false });
      expect(body.roles.sort()).toEqual([String(one.id), String(two.id)].sort());
      expect((await membership())?.nick).toBe('Newcomer');
      expect(events.map(({ type }) => type)).toEqual(['GUILD_MEMBER_ADD']);
      expect(JSON.parse(events[0]?.data ?? '')).toEqual({ ...body, guild_id: guild.id });
      const entry = await server.app.db.reader.auditEntry.findFirst({
        where: { guildId: BigInt(guild.id), action: 'MEMBER_ADD' },
      });
      expect(entry).toMatchObject({
        targetId: BigInt(joiner.id),
        reason: 'asked for',
        changes: { nick: 'Newcomer', roles: expect.arrayContaining([{ id: String(one.id), name: one.name }]) },
      });
    });

    test('treats null and an empty nickname as omitted, without a permission check', async () => {
      guild = await guildWithBot(Permission.CreateInstantInvite);
      const { status, body } = await join({ nick: '', roles: null, mute: null, deaf: null });
      expect({ status, nick: body.nick, roles: body.roles }).toEqual({ status: 201, nick: null, roles: [] });
    });

    test('ignores `mute` and `deaf`, and the response shows it', async () => {
      const { status, body } = await join({ mute: true, deaf: true });
      expect({ status, mute: body.mute, deaf: body.deaf }).toEqual({ status: 201, mute: false, deaf: false });
    });
  });

  test('is 204 for an existing member, who is unchanged', async () => {
    await join({ nick: 'First' });
    const role = await roleAt(1);
    expect(await join({ nick: 'Second', roles: [String(role.id)] })).toMatchObject({ status: 204, body: null });
    expect(await membership()).toMatchObject({ nick: 'First', roles: [] });
  });

  test('is 201 once and otherwise 204 when ten join the same user at once', async () => {
    const role = await roleAt(1);
    const answers = await Promise.all(Array.from({ length: 10 }, () => join({ roles: [String(role.id)] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(204)]);
    expect((await membership())?.roles).toHaveLength(1);
  });

  describe('is 400', () => {
    test.each([
      [{ nick: 'x'.repeat(33) }, 'nick', 'BASE_TYPE_BAD_LENGTH'],
      [{ nick: ' ' }, 'nick', 'BASE_TYPE_BAD_LENGTH'],
      [{ nick: 5.5 }, 'nick', 'STRING_TYPE_CONVERT'],
      [{ nick: 'a\nb' }, 'nick', 'STRING_TYPE_REGEX'],
      [{ roles: 'all' }, 'roles', 'LIST_TYPE_CONVERT'],
      [{ mute: 'yes' }, 'mute', 'BOOLEAN_TYPE_CONVERT'],
      [{ deaf: 1 }, 'deaf', 'BOOLEAN_TYPE_CONVERT'],
    ])('for %j', async (more, name, code) => {
      const { status, body } = await join(more);
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 50035, errors: { [name]: { _errors: [{ code }] } } });
      expect(await membership()).toBeNull();
    });
  });

  describe('is 403', () => {
    test.each([
      ['CREATE_INSTANT_INVITE', Permission.CreateInstantInvite, () => ({})],
      ['MANAGE_NICKNAMES', Permission.ManageNicknames, () => ({ nick: 'x' })],
      ['MANAGE_ROLES', Permission.ManageRoles, () => ({ roles: [] })],
      ['MUTE_MEMBERS', Permission.MuteMembers, () => ({ mute: true })],
      ['DEAFEN_MEMBERS', Permission.DeafenMembers, () => ({ deaf: false })],
    ])('without %s (50013)', async (_name, permission, more) => {
      guild = await guildWithBot(EVERYTHING_BUT_RANK & ~permission);
      expect(await join(more())).toMatchObject({ status: 403, body: { code: 50013 } });
      expect(await membership()).toBeNull();
    });

    test("for a role that is managed or not below the bot's highest (50013)", async () => {
      for (const role of [await roleAt(10), await roleAt(11), await roleAt(1, true)]) {
        expect(await join({ roles: [String(role.id)] })).toMatchObject({ status: 403, body: { code: 50013 } });
      }
      expect(await membership()).toBeNull();
    });
  });

  test('is 404 for a role of another guild (10011)', async () => {
    const elsewhere = await createGuild(owner);
    for (const id of ['1', elsewhere.id]) {
      expect(await join({ roles: [id] })).toMatchObject({ status: 404, body: { code: 10011 } });
    }
    expect(await membership()).toBeNull();
  });
});
