import { once } from 'node:events';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { describe, expect } from 'vitest';
import { installApplication } from '../../src/domain/installations/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { createRole, setRolePositions } from '../../src/domain/roles/index.js';
import { test } from '../harness/fixtures.js';
import { expectReference } from '../harness/reference.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { callOf } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
/** Role ids from the lowest position. The third is the bot's role, which has ManageRoles. */
let roles: string[];

test.beforeAll(({ server: shared }) => {
  server = shared;
});

async function prepare(): Promise<void> {
  scene = await openScene(server);
  const guildId = scene.guild.id;
  const owner = callOf(server.app, scene.guild.owner);
  const permissions = Permission.ManageRoles | Permission.ViewChannel;
  await installApplication(owner, { applicationId: scene.bot.bot.id, guildId, scopes: ['bot'], permissions });
  const two = await createRole(owner, guildId, { name: 'two', permissions: 0n });
  const one = await createRole(owner, guildId, { name: 'one', permissions: 0n });
  const managed = await server.app.db.reader.role.findMany({ where: { guildId, managed: true } });
  const bot = managed.find(({ applicationId }) => applicationId === scene.bot.bot.id)!;
  const top = managed.find(({ applicationId }) => applicationId === scene.other.bot.id)!;
  await setRolePositions(owner, guildId, [{ roleId: top.id, position: 4 }]);
  roles = [one, two, bot, top].map(({ id }) => String(id));
}

async function order(): Promise<[string, number][]> {
  const found = await server.app.db.reader.role.findMany({
    where: { guildId: scene.guild.id },
    orderBy: { position: 'asc' },
  });
  const names = ['one', 'two', 'bot', 'top'];
  return found.map(({ id, position }) => [names[roles.indexOf(String(id))] ?? '@everyone', position]);
}

describe('PATCH /guilds/{guild.id}/roles', () => {
  const path = () => `/guilds/${scene.guildId}/roles`;

  test('returns all roles, lowest first', async () => {
    await prepare();
    const { status, body } = await scene.bot.patch(path(), [{ id: roles[0], position: 2 }]);
    expect(status).toBe(200);
    expect(body.map((role: { id: string; position: number }) => [role.id, role.position])).toEqual([
      [scene.guildId, 0],
      [roles[1], 1],
      [roles[0], 2],
      [roles[2], 3],
      [roles[3], 4],
    ]);
    for (const role of body) expectReference('GuildRoleResponse', role);
    expect((await scene.bot.patch(path(), [{ id: roles[0] }, { id: roles[1], position: null }])).status).toBe(200);
    expect((await scene.bot.patch(path(), [])).body).toHaveLength(5);
    expect((await order()).map(([name]) => name)).toEqual(['@everyone', 'two', 'one', 'bot', 'top']);
  });

  test('is 400 with the path of the fault for a body that is not a list of positions', async () => {
    await prepare();
    const faulty: [unknown, object][] = [
      [{}, { _errors: [{ code: 'LIST_TYPE_CONVERT' }] }],
      [[{ position: 1 }], { 0: { id: { _errors: [{ code: 'BASE_TYPE_REQUIRED' }] } } }],
      [[{ id: 'x', position: 1 }], { 0: { id: { _errors: [{ code: 'NUMBER_TYPE_COERCE' }] } } }],
      [[{ id: roles[0], position: 1.5 }], { 0: { position: { _errors: [{ code: 'NUMBER_TYPE_COERCE' }] } } }],
      [[{ id: roles[0], position: 2 ** 60 }], { 0: { position: { _errors: [expect.anything()] } } }],
      [Array(251).fill({ id: roles[0] }), { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH' }] }],
    ];
    for (const [json, errors] of faulty) {
      const { status, body } = await scene.bot.patch(path(), json);
      expect({ json, status, body }).toMatchObject({ json, status: 400, body: { code: 50035, errors } });
    }
  });

  test("is 403 without ManageRoles, and for moves to or above the bot's highest role", async () => {
    await prepare();
    const [one = '', , bot = '', top = ''] = roles;
    const refused = [{ [one]: 3 }, { [one]: 4 }, { [bot]: 1 }, { [bot]: 4 }, { [top]: 1 }];
    for (const wanted of refused) {
      const json = Object.entries(wanted).map(([id, position]) => ({ id, position }));
      expect(await scene.bot.patch(path(), json)).toMatchObject({ status: 403, body: { code: 50013 } });
    }
    expect((await scene.other.patch(path(), [{ id: one, position: 2 }])).status).toBe(403);
    expect(await scene.stranger.patch(path(), [])).toMatchObject({ status: 403, body: { code: 50001 } });
    expect((await order()).map(([name]) => name)).toEqual(['@everyone', 'one', 'two', 'bot', 'top']);
  });

  test('is 404 for a role of another guild', async () => {
    await prepare();
    for (const id of ['1', '9'.repeat(30), String(scene.bot.bot.id)]) {
      const { status, body } = await scene.bot.patch(path(), [{ id, position: 1 }]);
      expect({ id, status, code: body.code }).toEqual({ id, status: 404, code: 10011 });
    }
  });

  test('an unmodified discord.js sorts roles in both of its ways and receives the updates', async () => {
    await prepare();
    const [one = '', two = ''] = roles;
    const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${server.origin}/api` } });
    const ready = once(client, Events.ClientReady);
    await client.login(scene.bot.bot.token);
    await ready;
    try {
      const guild = client.guilds.cache.get(scene.guildId)!;
      const heard = once(client, Events.GuildRoleUpdate);
      await guild.roles.setPositions([
        { role: one, position: 2 },
        { role: two, position: 1 },
      ]);
      await heard;
      expect((await order()).map(([name]) => name)).toEqual(['@everyone', 'two', 'one', 'bot', 'top']);
      await guild.roles.setPosition(one, 1);
      expect(await order()).toEqual([
        ['@everyone', 0],
        ['one', 1],
        ['two', 2],
        ['bot', 3],
        ['top', 4],
      ]);
      expect(guild.roles.cache.get(two)?.position).toBe(2);
      await expect(guild.roles.setPosition(one, 4)).rejects.toMatchObject({ code: 50013 });
    } finally {
      await client.destroy();
    }
  });
});
