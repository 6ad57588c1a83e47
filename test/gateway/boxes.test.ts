import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BoxClientRef } from '../../src/domain/boxes/index.js';
import {
  forgetBot,
  installApplication,
  readmitBots,
  uninstallApplication,
} from '../../src/domain/installations/index.js';
import type { User } from '../../src/infra/database/index.js';
import { BoxesInMemory, putBox, putBoxGuild } from '../harness/box-guilds.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { addGuild, joinMembers, type MemoryGuild, MemoryHome, messageOf } from '../harness/guild-home.js';
import { createPerson } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { callOf, createBot, type TestBot } from '../harness/world.js';

const home = new MemoryHome();
const clients: GatewayClient[] = [];
let server: TestServer;
let boxes: BoxesInMemory;
let owner: User;
let attic: MemoryGuild;
let bot: TestBot;

beforeAll(async () => {
  server = await startServer({ guilds: () => home });
});
afterAll(() => server.stop());
beforeEach(async () => {
  const { app } = server;
  boxes = new BoxesInMemory();
  if (app.boxes instanceof BoxClientRef) app.boxes.set(boxes);
  owner = await createPerson(app);
  const box = await putBox(app, owner, { isConnected: true });
  attic = addGuild({ ...app, nextId: box.nextId }, home, 'Attic');
  await putBoxGuild(app, box, { id: attic.id });
  bot = await createBot(app);
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

async function session({ token }: TestBot): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  await client.ready(token);
  return client;
}

async function install({ id: applicationId, user }: TestBot) {
  boxes.meanwhile = async () => void joinMembers(server.app, attic, user);
  const input = { applicationId, guildId: attic.id, scopes: ['bot' as const], permissions: 0n };
  return installApplication(callOf(server.app, owner), input);
}

const shownId = async (client: GatewayClient, name: string) => (await client.event(name)).d.id;

describe('a bot with a session', () => {
  it('is shown a guild on a box after the installation, and loses it with the installation', async () => {
    const client = await session(bot);
    const { id } = await install(bot);
    expect(await shownId(client, 'GUILD_CREATE')).toBe(String(attic.id));
    await uninstallApplication(callOf(server.app, owner), id);
    expect((await client.event('GUILD_DELETE')).d).toEqual({ id: String(attic.id) });
  });

  it('loses it when the box reports a kick', async () => {
    const client = await session(bot);
    await install(bot);
    await client.event('GUILD_CREATE');
    boxes.members.clear();
    boxes.meanwhile = async () => {};
    await forgetBot(server.app.callOfNobody(), attic.id, bot.id);
    expect((await client.event('GUILD_DELETE')).d).toEqual({ id: String(attic.id) });
  });

  it('is shown it again once the box is back', async () => {
    const client = await session(bot);
    await install(bot);
    await client.event('GUILD_CREATE');
    server.app.publish({ type: 'GUILD_DELETE', guildId: attic.id, unavailable: true });
    expect((await client.event('GUILD_DELETE')).d).toMatchObject({ unavailable: true });
    await readmitBots(server.app.callOfNobody(), attic.id);
    expect(await shownId(client, 'GUILD_CREATE')).toBe(String(attic.id));
  });

  it('gets no presences of its members', async () => {
    const other = await createBot(server.app);
    const watcher = await session(other);
    await install(other);
    await watcher.event('GUILD_CREATE');
    const client = await session(bot);
    await install(bot);
    await client.event('GUILD_CREATE');
    client.send(3, { status: 'dnd', activities: [], since: null, afk: false });
    const message = messageOf(server.app, attic, attic.owner);
    await expect.poll(() => server.app.db.reader.presence.count({ where: { status: 'dnd' } })).toBe(1);
    server.app.publish({ type: 'MESSAGE_CREATE', message, member: null });
    expect((await watcher.next()).t).toBe('MESSAGE_CREATE');
  });
});
