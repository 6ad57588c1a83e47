import { once } from 'node:events';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { beforeEach, describe, expect } from 'vitest';
import { entry, OF_ROLE, putCommand, putPermissions, saidOf } from '../harness/command-rows.js';
import { test } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { inForm, postForm } from '../harness/oauth.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { ask } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

const SCOPE = 'applications.commands.permissions.update';

let server: TestServer;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
let application: MadeApplication;
/** Another application of the same owner in the same guild. */
let other: MadeApplication;
let token: string;
let commandId: string;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
  guild = await createGuild(ada);
  application = await createApplication(ada);
  other = await createApplication(ada, 'Other');
  await install(ada, application, guild);
  await install(ada, other, guild);
  token = await tokenOf(application);
});
beforeEach(async () => {
  commandId = String((await putCommand(server.app, BigInt(application.id))).id);
});

async function tokenOf(made: MadeApplication, scope = SCOPE): Promise<string> {
  const { body } = await postForm(server, { grant_type: 'client_credentials', scope, ...inForm(made) });
  return body.access_token;
}

const pathOf = (id = commandId, of = application) =>
  `/applications/${of.id}/guilds/${guild.id}/commands/${id}/permissions`;

interface Sent {
  path?: string;
  authorization?: string;
}

const put = (json: unknown, { path = pathOf(), authorization = `Bearer ${token}` }: Sent = {}) =>
  ask(server, 'PUT', path, { json, headers: { authorization } });

const everyone = () => ({ id: guild.id, type: 1, permission: true });
const said = (id = commandId) => saidOf(server.app, BigInt(guild.id), BigInt(id));

describe('PUT …/commands/{id}/permissions', () => {
  test('replaces the whole list and returns it', async () => {
    await put({ permissions: [everyone()] });
    const allChannels = String(BigInt(guild.id) - 1n);
    const permissions = [
      { id: ada.id, type: 2, permission: false },
      { id: allChannels, type: 3, permission: false },
    ];
    const { status, body } = await put({ permissions });
    expect({ status, body }).toEqual({
      status: 200,
      body: { id: commandId, application_id: application.id, guild_id: guild.id, permissions },
    });
    expect(await said()).toEqual([`2 ${ada.id} no`, `3 ${allChannels} no`]);
  });

  test("sets the default of all commands with the application's id, and accepts numeric ids", async () => {
    const { body } = await ask(server, 'PUT', pathOf(application.id), {
      body: `{"permissions":[{"id":${guild.id},"type":1,"permission":true,"more":1}]}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    expect(body).toMatchObject({ id: application.id, permissions: [everyone()] });
    expect(await said(application.id)).toEqual([`1 ${guild.id} yes`]);
  });

  test('is refused for bots (20001), without a credential, and without the scope', async () => {
    const asBot = await put({ permissions: [everyone()] }, { authorization: `Bot ${application.botToken}` });
    expect([asBot.status, asBot.body.code]).toEqual([403, 20001]);
    const asNobody = await ask(server, 'PUT', pathOf(), { json: { permissions: [] } });
    expect([asNobody.status, asNobody.body.code]).toEqual([401, 0]);
    const authorization = `Bearer ${await tokenOf(application, 'applications.commands identify')}`;
    const without = await put({ permissions: [] }, { authorization });
    expect([without.status, without.body.code]).toEqual([403, 50026]);
    expect(await said()).toEqual([]);
  });

  test('is refused for another application (20012) and for its commands (10063)', async () => {
    const authorization = `Bearer ${await tokenOf(other)}`;
    const ofAnother = await put({ permissions: [everyone()] }, { authorization });
    expect([ofAnother.status, ofAnother.body.code]).toEqual([403, 20012]);
    const named = await put({ permissions: [everyone()] }, { authorization, path: pathOf(commandId, other) });
    expect([named.status, named.body.code]).toEqual([404, 10063]);
    expect(await said()).toEqual([]);
  });

  test('requires a user who can manage the guild', async () => {
    const ofBob = await createApplication(bob, "Bob's");
    await install(ada, ofBob, guild);
    const authorization = `Bearer ${await tokenOf(ofBob)}`;
    const { status, body } = await put({ permissions: [] }, { authorization, path: pathOf(ofBob.id, ofBob) });
    expect([status, body.code]).toEqual([404, 10004]);
  });

  test('reports the fault of each entry', async () => {
    const { status, body } = await put({
      permissions: [everyone(), { id: '1', type: 2, permission: true }, everyone()],
    });
    expect([status, body.code]).toEqual([400, 50035]);
    expect(Object.keys(body.errors.permissions)).toEqual(['1', '2']);
    expect(body.errors.permissions[1]).toEqual({
      id: { _errors: [{ code: 'BASE_TYPE_INVALID', message: 'This user does not exist.' }] },
    });
  });

  test.each<[string, unknown, string]>([
    ['no list', {}, 'permissions'],
    ['a type there is not', { permissions: [{ id: '1', type: 4, permission: true }] }, 'permissions.0.type'],
    ['an id that is none', { permissions: [{ id: 'x', type: 1, permission: true }] }, 'permissions.0.id'],
    ['neither yes nor no', { permissions: [{ id: '1', type: 1 }] }, 'permissions.0.permission'],
    ['101 entries', { permissions: Array(101).fill({ id: '1', type: 2, permission: true }) }, 'permissions'],
  ])('refuses %s', async (_, json, path) => {
    const { status, body } = await put(json);
    expect(status).toBe(400);
    const at = path.split('.').reduce((node, step) => node?.[step], body.errors);
    expect(at?._errors).toHaveLength(1);
  });
});

describe('the permissions route for all commands at once', () => {
  const bulk = () => `/applications/${application.id}/guilds/${guild.id}/commands/permissions`;

  test.each(['PUT', 'GET', 'PATCH'])('refuses %s with 405 and code 0', async (method) => {
    for (const authorization of [`Bot ${application.botToken}`, `Bearer ${token}`]) {
      const { status, body, headers } = await ask(server, method, bulk(), { headers: { authorization } });
      expect({ status, body }).toEqual({ status: 405, body: { message: '405: Method Not Allowed', code: 0 } });
      expect(headers.get('allow')).toBe('');
    }
  });

  test('does not offer GET of a single command either', async () => {
    const { status, headers } = await ask(server, 'GET', pathOf(), {
      headers: { authorization: `Bot ${application.botToken}` },
    });
    expect([status, headers.get('allow')]).toEqual([405, 'PUT']);
  });
});

describe('APPLICATION_COMMAND_PERMISSIONS_UPDATE', () => {
  test('is sent to the application only, with any intents and without its bot in the guild (G-25)', async () => {
    const quiet = await createApplication(ada, 'Quiet');
    await install(ada, quiet, guild, { scopes: ['applications.commands'] });
    const [own, another] = [await GatewayClient.open(server.origin), await GatewayClient.open(server.origin)];
    own.identify(quiet.botToken, { intents: 0 });
    expect((await own.event('READY')).d.guilds).toEqual([]);
    await another.ready(other.botToken);
    const authorization = `Bearer ${await tokenOf(quiet)}`;
    const { body } = await put({ permissions: [everyone()] }, { authorization, path: pathOf(quiet.id, quiet) });
    expect((await own.event('APPLICATION_COMMAND_PERMISSIONS_UPDATE')).d).toEqual(body);
    expect((await another.settled()).map(({ t }) => t)).not.toContain('APPLICATION_COMMAND_PERMISSIONS_UPDATE');
    await own.close();
    await another.close();
  });

  test('is understood by discord.js, and so is the new list', async () => {
    const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${server.origin}/api` } });
    const ready = once(client, Events.ClientReady);
    await client.login(application.botToken);
    await ready;
    const heard = once(client, Events.ApplicationCommandPermissionsUpdate);
    const known = client.guilds.cache.get(guild.id)!;
    const permissions = [{ id: ada.id, type: 2, permission: true }];
    expect(await known.commands.permissions.set({ token, command: commandId, permissions })).toMatchObject(permissions);
    const [update] = await heard;
    expect(update).toEqual({ id: commandId, applicationId: application.id, guildId: guild.id, permissions });
    await client.destroy();
  });
});

test('a bot with ViewAuditLog receives the audit log entry of the change', async () => {
  const listening = await GatewayClient.open(server.origin);
  await server.app.db.writer.role.updateMany({
    where: { guildId: BigInt(guild.id), applicationId: BigInt(other.id) },
    data: { permissions: 8n },
  });
  const role = await server.app.db.reader.role.findFirstOrThrow({ where: { applicationId: BigInt(other.id) } });
  server.app.publish({ type: 'GUILD_ROLE_UPDATE', role });
  await listening.ready(other.botToken);
  await putPermissions(
    server.app,
    { guildId: BigInt(guild.id), applicationId: BigInt(application.id), commandId: BigInt(commandId) },
    entry(OF_ROLE, BigInt(guild.id)),
  );
  await put({ permissions: [{ ...everyone(), permission: false }] });
  const { d } = await listening.event('GUILD_AUDIT_LOG_ENTRY_CREATE');
  expect(d).toMatchObject({
    action_type: 121,
    target_id: commandId,
    user_id: ada.id,
    options: { application_id: application.id },
    changes: [{ key: guild.id, old_value: everyone(), new_value: { ...everyone(), permission: false } }],
  });
  await listening.close();
});
