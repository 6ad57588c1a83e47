import { Client, Events, GatewayIntentBits, REST, Routes } from 'discord.js';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { installApplication } from '../../src/domain/installations/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import { createApplication, install } from '../harness/people.js';
import { openScene, type Scene } from '../harness/rest.js';
import { createPerson } from '../harness/rows.js';
import { type SelfHosted, startSelfHosted } from '../harness/self-hosted.js';
import type { TestServer } from '../harness/server.js';
import { addMember, callOf } from '../harness/world.js';

let server: TestServer;
let scene: Scene;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  const bot = { applicationId: scene.bot.bot.id, guildId: scene.guild.id, scopes: ['bot' as const] };
  const owner = callOf(server.app, scene.guild.owner);
  await installApplication(owner, { ...bot, permissions: Permission.Administrator });
});

const at = (version: number, path: string) => `${server.origin}/api/v${version}${path}`;

async function lastReason(): Promise<string | null | undefined> {
  const entry = await server.app.db.reader.auditEntry.findFirst({
    where: { guildId: scene.guild.id },
    orderBy: { id: 'desc' },
  });
  return entry?.reason;
}

describe('a request at /api/v9', () => {
  test('is handled like one at /api/v10', async () => {
    for (const path of ['/users/@me', '/gateway/bot', `/guilds/${scene.guildId}`]) {
      const [nine, ten] = [await scene.bot.get(at(9, path)), await scene.bot.get(at(10, path))];
      expect([nine.status, nine.body]).toEqual([200, ten.body]);
    }
  });

  test('accepts the audit reason as `reason` in the query or body, unlike v10', async () => {
    const ban = async (version: number, query: string, json: object, headers = {}) => {
      const person = await createPerson(server.app);
      await addMember(server.app, scene.guild.id, person);
      const path = at(version, `/guilds/${scene.guildId}/bans/${person.id}${query}`);
      expect((await scene.bot.ask('PUT', path, { json, headers })).status).toBe(204);
      return lastReason();
    };
    expect(await ban(9, '', { reason: ' spam ' })).toBe('spam');
    expect(await ban(9, '?reason=too%20loud', {})).toBe('too loud');
    expect(await ban(9, '', { reason: 'body' }, { 'x-audit-log-reason': 'header' })).toBe('header');
    for (const json of [{ reason: '' }, { reason: null }, { reason: 5 }, {}]) expect(await ban(9, '', json)).toBeNull();
    expect(await ban(10, '?reason=query', { reason: 'body' })).toBeNull();
  });

  test('accepts the audit reason even if its route has no body', async () => {
    const person = await createPerson(server.app);
    await addMember(server.app, scene.guild.id, person);
    const path = at(9, `/guilds/${scene.guildId}/members/${person.id}?reason=asleep`);
    expect((await scene.bot.delete(path)).status).toBe(204);
    expect(await lastReason()).toBe('asleep');
  });

  test('is refused at `reason` if the reason is too long', async () => {
    const path = at(9, `/channels/${scene.channelId}`);
    const { status, body } = await scene.bot.patch(path, { name: 'quiet', reason: 'x'.repeat(513) });
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: { reason: expect.anything() } });
  });

  test('accepts a single `embed` in a message, unlike v10', async () => {
    const messages = `/channels/${scene.channelId}/messages`;
    const { status, body } = await scene.bot.post(at(9, messages), { embed: { title: 'one' } });
    expect({ status, embeds: body.embeds }).toMatchObject({ status: 200, embeds: [{ title: 'one' }] });
    const message = `${messages}/${body.id}`;
    const edited = await scene.bot.patch(at(9, message), { embed: { title: 'two' } });
    expect(edited.body.embeds).toMatchObject([{ title: 'two' }]);
    const both = await scene.bot.patch(at(9, message), { embed: { title: 'x' }, embeds: [{ title: 'three' }] });
    expect(both.body.embeds).toMatchObject([{ title: 'three' }]);
    expect((await scene.bot.patch(at(9, message), { embed: null, content: 'none' })).body.embeds).toEqual([]);
    expect(await scene.bot.post(at(10, messages), { embed: { title: 'x' } })).toMatchObject({
      status: 400,
      body: { code: 50006 },
    });
  });
});

test("discord.js registers commands with `version: '9'`", async () => {
  const rest = new REST({ version: '9', api: `${server.origin}/api` }).setToken(scene.bot.bot.token);
  const body = [{ name: 'lunch', description: 'What there is' }];
  const registered = await rest.put(Routes.applicationCommands(scene.bot.id), { body });
  expect(registered).toMatchObject([{ name: 'lunch' }]);
});

test("discord.js connects with `version: '9'` for REST and the gateway", async () => {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { version: '9', api: `${server.origin}/api` },
    ws: { version: 9 },
  });
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(scene.bot.bot.token);
  await ready;
  expect(client.guilds.cache.map(({ id }) => id)).toEqual([scene.guildId]);
  await client.destroy();
});

describe('a request at /api/v9 for a self-hosted guild', () => {
  let all: SelfHosted | undefined;
  afterAll(() => all?.stop());

  test('accepts the same fields', { tags: ['slow'] }, async () => {
    all = await startSelfHosted();
    const { cloud, box, owner, makeGuild } = all;
    const guild = await makeGuild();
    const bot = await createApplication(owner);
    await install(owner, bot, guild, { permissions: '8' });
    const ask = async (method: string, path: string, json?: object) => {
      const response = await fetch(`${cloud.origin}/api/v9${path}`, {
        method,
        headers: { authorization: `Bot ${bot.botToken}`, ...(json ? { 'content-type': 'application/json' } : {}) },
        ...(json ? { body: JSON.stringify(json) } : {}),
      });
      return { status: response.status, body: await response.json() };
    };
    const made = await ask('POST', `/guilds/${guild.id}/channels`, { name: 'quiet', reason: 'too loud' });
    expect(made).toMatchObject({ status: 201, body: { name: 'quiet' } });
    const where = { guildId: BigInt(guild.id), targetId: BigInt(made.body.id) };
    expect(await box.app.db.reader.auditEntry.findFirst({ where })).toMatchObject({ reason: 'too loud' });
    const posted = await ask('POST', `/channels/${made.body.id}/messages`, { embed: { title: 'one' } });
    expect(posted).toMatchObject({ status: 200, body: { embeds: [{ title: 'one' }] } });
  });
});
