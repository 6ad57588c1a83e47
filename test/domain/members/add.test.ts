import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApplication, updateApplication } from '../../../src/domain/applications/index.js';
import { banMember } from '../../../src/domain/bans/index.js';
import { setGreeting } from '../../../src/domain/built-in-commands/greetings/set.js';
import type { CallContext } from '../../../src/domain/call.js';
import { leaveGuild } from '../../../src/domain/guilds/index.js';
import { installApplication } from '../../../src/domain/installations/index.js';
import { type AddMemberInput, addMember } from '../../../src/domain/members/add.js';
import { updateMember } from '../../../src/domain/members/index.js';
import { redeemCode } from '../../../src/domain/oauth/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import type { Statement } from '../../../src/domain/presences/index.js';
import { createRole, setRolePositions } from '../../../src/domain/roles/index.js';
import type { Application, User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { ManualClock } from '../../harness/clock.js';
import { grantCode, REDIRECT_URI } from '../../harness/oauth.js';
import { createPerson } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { callOf, createGuild, type TestGuild } from '../../harness/world.js';

interface Client {
  application: Application;
  bot: CallContext;
}

const clock = new ManualClock();
let server: TestServer;
let client: Client;
let guild: TestGuild;
let ada: User;
beforeAll(async () => {
  server = await startServer({ clock });
  client = await makeClient();
});
beforeEach(async () => {
  guild = await createGuild(server.app);
  ada = await createPerson(server.app);
  const { CreateInstantInvite, ManageRoles } = Permission;
  await installApplication(callOf(server.app, guild.owner), {
    applicationId: client.application.id,
    guildId: guild.id,
    scopes: ['bot'],
    permissions: CreateInstantInvite | ManageRoles,
  });
});
afterAll(() => server.stop());

async function makeClient(): Promise<Client> {
  const { app } = server;
  const owner = callOf(app, await createPerson(app));
  const { id: applicationId } = (await createApplication(owner, { name: 'Client' })).application;
  const application = await updateApplication(owner, { applicationId, redirectUris: [REDIRECT_URI] });
  const user = await app.db.reader.user.findUniqueOrThrow({ where: { id: applicationId } });
  return { application, bot: callOf(app, user) };
}

async function tokenOf(person: User, { of = client, scope = 'guilds.join' } = {}): Promise<string> {
  const code = await grantCode(server, { id: String(person.id) }, { id: String(of.application.id) }, { scope });
  const known = { application: of.application, byType: 'confidential' } as const;
  return (await redeemCode(of.bot, known, { code, redirectUri: REDIRECT_URI, codeVerifier: undefined })).accessToken;
}

const add = (accessToken: string, more: Partial<AddMemberInput> = {}, call = client.bot) =>
  addMember(call, { guildId: guild.id, userId: ada.id, accessToken, ...more });

const isMember = async () => (await server.app.guilds.member(guild.id, ada.id)) !== null;

describe('a user who granted an application to add them to servers', () => {
  test('becomes a member, with nothing that was not given', async () => {
    const { events } = hearGuild(server, guild.id);
    expect(await add(await tokenOf(ada))).toMatchObject({
      userId: ada.id,
      nick: null,
      joinedAt: new Date(clock.now()),
      roles: [],
    });
    expect(await isMember()).toBe(true);
    expect(events.map(({ type }) => type)).toEqual(['GUILD_MEMBER_ADD']);
    const where = { guildId: guild.id, action: 'MEMBER_ADD' };
    expect(await server.app.db.reader.auditEntry.findMany({ where })).toMatchObject([
      { actorId: client.application.id, targetId: ada.id, changes: { nick: null, roles: [] } },
    ]);
  });

  test('becomes a member once for two calls at the same time', async () => {
    const token = await tokenOf(ada);
    const { events } = hearGuild(server, guild.id);
    const answers = await Promise.all([add(token), add(token)]);
    expect(answers.map((member) => member?.userId ?? null).sort()).toEqual([ada.id, null]);
    expect(events.map(({ type }) => type)).toEqual(['GUILD_MEMBER_ADD']);
    expect(await add(token)).toBeNull();
  });

  test('is welcomed once if the server has a welcome message', async () => {
    const channelId = guild.channel.id;
    await setGreeting(callOf(server.app, guild.owner), {
      guildId: guild.id,
      kind: 'WELCOME',
      channelId,
      message: 'Hi',
    });
    const token = await tokenOf(ada);
    for (let times = 0; times < 2; times += 1) await add(token);
    const jobs = await server.app.db.reader.job.findMany({ where: { kind: 'greeting' } });
    const payload = { guildId: String(guild.id), userId: String(ada.id), kind: 'WELCOME' };
    expect(jobs.map((job) => job.payload)).toEqual([payload]);
  });

  test('is published with their presence if they are online', async () => {
    const statement: Statement = { status: 'idle', activities: [], since: null, afk: false };
    await server.app.connections.open({ id: 'socket', userId: ada.id, session: null }, statement);
    const token = await tokenOf(ada);
    const { events } = hearGuild(server, guild.id);
    await add(token);
    expect(events.map(({ type }) => type)).toEqual(['GUILD_MEMBER_ADD', 'PRESENCE_UPDATE']);
  });

  test('is still timed out if they left while timed out', async () => {
    const [owner, token] = [callOf(server.app, guild.owner), await tokenOf(ada)];
    const communicationDisabledUntil = new Date(clock.now() + 60_000);
    await add(token);
    await updateMember(owner, { guildId: guild.id, userId: ada.id, communicationDisabledUntil });
    await leaveGuild(callOf(server.app, ada), guild.id);
    expect(await add(token)).toMatchObject({ communicationDisabledUntil });
  });

  test('gets all of the roles, or is not added', async () => {
    const owner = callOf(server.app, guild.owner);
    const roles = [await createRole(owner, guild.id, { name: 'a' }), await createRole(owner, guild.id, { name: 'b' })];
    const roleIds = roles.map(({ id }) => id);
    const token = await tokenOf(ada);
    const { id: botRole } = await server.app.db.reader.role.findFirstOrThrow({
      where: { guildId: guild.id, managed: true },
    });
    await setRolePositions(owner, guild.id, [{ roleId: botRole, position: 2 }]);
    await expect(add(token, { roleIds })).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
    expect(await isMember()).toBe(false);
    await setRolePositions(owner, guild.id, [{ roleId: botRole, position: 3 }]);
    expect((await add(token, { roleIds }))?.roles.map(({ roleId }) => roleId).sort()).toEqual(roleIds.sort());
  });
});

describe('no user is added', () => {
  const refused: [string, () => Promise<string>, string][] = [
    ['by nonsense', async () => 'nonsense', 'ACCESS_TOKEN_REFUSED'],
    ["by somebody else's token", async () => tokenOf(guild.owner), 'ACCESS_TOKEN_REFUSED'],
    ["by another application's token", async () => tokenOf(ada, { of: await makeClient() }), 'ACCESS_TOKEN_REFUSED'],
    ['by a token for something else', () => tokenOf(ada, { scope: 'identify' }), 'MISSING_SCOPE'],
    ['by a token whose time is over', overdueToken, 'ACCESS_TOKEN_REFUSED'],
  ];
  test.each(refused)('%s', async (_, token, code) => {
    await expect(add(await token())).rejects.toMatchObject({ code });
    expect(await isMember()).toBe(false);
  });

  test('by a person, even with a valid token', async () => {
    const owner = callOf(server.app, guild.owner);
    await expect(add(await tokenOf(ada), {}, owner)).rejects.toMatchObject({ code: 'ACCESS_TOKEN_REFUSED' });
    expect(await isMember()).toBe(false);
  });

  test('if they are banned', async () => {
    await banMember(callOf(server.app, guild.owner), { guildId: guild.id, userId: ada.id });
    await expect(add(await tokenOf(ada))).rejects.toMatchObject({ code: 'BANNED' });
    expect(await isMember()).toBe(false);
  });

  test('to a server that the bot is not in, or that is deleted in the meantime', async () => {
    const [token, elsewhere] = [await tokenOf(ada), await createGuild(server.app)];
    await expect(add(token, { guildId: elsewhere.id })).rejects.toMatchObject({ code: 'MISSING_ACCESS' });
    await expect(add(token, { guildId: 1n })).rejects.toMatchObject({ code: 'UNKNOWN_GUILD' });
    expect(await isMember()).toBe(false);
    await server.app.db.writer.guild.delete({ where: { id: guild.id } });
    await expect(add(token)).rejects.toMatchObject({ code: 'UNKNOWN_GUILD' });
  });

  async function overdueToken(): Promise<string> {
    const token = await tokenOf(ada);
    clock.advance(7 * 86_400_000);
    return token;
  }
});
