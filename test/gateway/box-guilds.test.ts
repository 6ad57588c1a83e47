import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import type { User } from '../../src/infra/database/index.js';
import { ALL_INTENTS, type Frame, GatewayClient } from '../harness/gateway-client.js';
import { NearBox } from '../harness/near-box.js';
import { RestBot } from '../harness/rest.js';
import { createPerson, putInVoice } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { addMember, createBot, createGuild, say, type TestBot, type TestGuild } from '../harness/world.js';

let cloud: TestServer;
let box: NearBox;
let bot: TestBot;
let guild: TestGuild;
const clients: GatewayClient[] = [];

beforeAll(async () => {
  cloud = await startServer();
  box = await NearBox.start(cloud);
});
afterAll(async () => {
  await box.server.stop();
  await cloud.stop();
});
beforeEach(async () => {
  bot = await createBot(cloud.app);
  guild = await box.announceGuild('Attic');
  await box.install(bot, guild);
});
afterEach(async () => {
  box.isAway = false;
  box.forged = null;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function open(): Promise<GatewayClient> {
  const client = await GatewayClient.open(cloud.origin);
  clients.push(client);
  return client;
}

async function session(more: object = {}): Promise<GatewayClient> {
  const client = await open();
  await client.ready(bot.token, more);
  return client;
}

async function person(name: string, nick: string | null = null): Promise<User> {
  const user = await createPerson(box.server.app, name);
  await box.join(guild, user, nick);
  return user;
}

const unavailable = () => ({ id: String(guild.id), unavailable: true });
const back = () => box.tell({ type: 'GUILD_JOINED', guildId: guild.id, userId: bot.id });
const sayThere = (content: string) => say(box.server.app, guild, guild.owner, content);
const idsOf = (guilds: { id: string }[]) => guilds.map(({ id }) => id);
const names = (chunk: Frame['d']) => chunk.members.map(({ user }: Frame['d']) => user.username).sort();

describe('R-27: a guild on a box is shown like any other guild', () => {
  it('G-20, G-21: READY and GUILD_CREATE list it among the guilds of the cloud in ascending order', async () => {
    const near = await createGuild(cloud.app);
    await addMember(cloud.app, near.id, bot.user);
    const later = await box.announceGuild('Later');
    await box.install(bot, later);
    await putInVoice(box.server.app, { guildId: guild.id, userId: guild.owner.id });
    const client = await open();
    client.identify(bot.token);
    const ready = (await client.event('READY')).d.guilds;
    const expected = [guild.id, near.id, later.id].sort((one, other) => (one < other ? -1 : 1)).map(String);
    expect(idsOf(ready)).toEqual(expected);
    const { d } = await client.next((frame) => frame.t === 'GUILD_CREATE' && frame.d.id === String(guild.id));
    expect(d).toMatchObject({ name: 'Attic', owner_id: String(guild.owner.id), member_count: 2, large: false });
    expect(d.unavailable).toBe(false);
    expect(d.presences).toEqual([]);
    expect(d.channels.map(({ name }: Frame['d']) => name)).toContain('general');
    expect(d.voice_states).toMatchObject([{ user_id: String(guild.owner.id) }]);
    expect(names(d)).toEqual([bot.user.username, guild.owner.username].sort());
    expect(d.members.find(({ user }: Frame['d']) => user.id === String(bot.id)).user).toMatchObject({ bot: true });
  });

  it('GUILD_CREATE equals the one that the box sends to its own bots', async () => {
    const client = await open();
    client.identify(bot.token);
    const { d } = await client.event('GUILD_CREATE');
    const own = await box.server.app.guilds.snapshot(guild.id);
    expect(d.roles.map(({ permissions }: Frame['d']) => permissions)).toEqual(
      own?.guild.roles.map(({ permissions }) => String(permissions)),
    );
    expect(idsOf(d.channels)).toEqual(own?.channels.map(({ id }) => String(id)));
  });

  it('a bot does not get it if the application was installed without its bot', async () => {
    const where = { applicationId_guildId: { applicationId: bot.id, guildId: guild.id } };
    await cloud.app.db.writer.installation.update({ where, data: { scopes: ['applications.commands'] } });
    const client = await open();
    client.identify(bot.token);
    expect((await client.event('READY')).d.guilds).toEqual([]);
  });
});

describe('R-27, G-40: members on request', () => {
  async function ask(client: GatewayClient, request: object): Promise<Frame['d']> {
    client.send(8, { guild_id: String(guild.id), ...request });
    return (await client.event('GUILD_MEMBERS_CHUNK')).d;
  }

  it('come as a list, by ids, and by a prefix of a name', async () => {
    await person('anna');
    const anton = await person('anton', 'Heron');
    const client = await session();
    const all = await ask(client, { query: '', limit: 0, presences: true });
    expect(names(all)).toEqual(['anna', 'anton', bot.user.username, guild.owner.username].sort());
    expect(all.presences).toEqual([]);
    expect(names(await ask(client, { query: 'AN', limit: 10 }))).toEqual(['anna', 'anton']);
    expect(names(await ask(client, { query: 'her', limit: 0 }))).toEqual(['anton']);
    const byId = await ask(client, { user_ids: [String(anton.id), '42'] });
    expect([names(byId), byId.not_found]).toEqual([['anton'], ['42']]);
  });

  it('are not requested from the box if no requested id can be a member there', async () => {
    const annika = await person('annika');
    const client = await session();
    const [some, bob] = [await createPerson(cloud.app, 'bob'), await createPerson(cloud.app)].map(({ id }) =>
      String(id),
    );
    const before = box.asked.length;
    expect((await ask(client, { user_ids: [some, bob] })).not_found).toEqual([some, bob]);
    expect(box.asked.slice(before)).not.toContain('members');
    const mixed = await ask(client, { user_ids: [some, String(annika.id), String(bot.id)] });
    expect([names(mixed), mixed.not_found]).toEqual([['annika', bot.user.username].sort(), [some]]);
    expect(box.inputs).toContainEqual(expect.objectContaining({ user_ids: [String(annika.id), String(bot.id)] }));
  });

  it("are limited to the bot's own member without the members intent", async () => {
    const client = await session({ intents: Intent.Guilds });
    expect(names(await ask(client, { query: '', limit: 0 }))).toEqual([bot.user.username]);
  });
});

describe('R-34: events of a box', () => {
  it('G-25, G-27: are sent by intents, and without content to bots that may not read it', async () => {
    const silent = await session({ intents: Intent.Guilds });
    const deaf = await session({ intents: ALL_INTENTS & ~Intent.MessageContent });
    const hearing = await session();
    await sayThere('secret');
    expect((await hearing.event('MESSAGE_CREATE')).d).toMatchObject({ content: 'secret', guild_id: String(guild.id) });
    expect((await deaf.event('MESSAGE_CREATE')).d.content).toBe('');
    expect(await silent.settled()).toEqual([]);
  });

  it('G-26: are sent by the permissions on the box, also after these changed', async () => {
    const client = await session();
    await sayThere('before');
    expect((await client.event('MESSAGE_CREATE')).d.content).toBe('before');
    const { app } = box.server;
    const role = await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions: 0n } });
    app.publish({ type: 'GUILD_ROLE_UPDATE', role });
    await sayThere('meanwhile');
    app.publish({ type: 'CHANNEL_CREATE', channel: guild.channel });
    expect((await client.next()).t).toBe('GUILD_ROLE_UPDATE');
    expect((await client.next()).t).toBe('CHANNEL_CREATE');
    const permissions = Permission.ViewChannel;
    const given = await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions } });
    app.publish({ type: 'GUILD_ROLE_UPDATE', role: given });
    await sayThere('after');
    expect((await client.next()).t).toBe('GUILD_ROLE_UPDATE');
    expect((await client.next()).d.content).toBe('after');
  });

  it('R-35: a message in a channel of another guild is dropped', async () => {
    const client = await session();
    await sayThere('honest');
    const { d } = await client.event('MESSAGE_CREATE');
    const elsewhere = box.server.app.nextId();
    box.ship('MESSAGE_CREATE', { ...d, id: String(elsewhere), channel_id: String(elsewhere) }, guild);
    await box.shipped();
    expect(box.refusals.splice(0)).toEqual([]);
    expect(await client.settled()).toEqual([]);
  });

  it('R-35: a message of a user of the cloud is dropped', async () => {
    const client = await session();
    const message = await sayThere('honest');
    const { d } = await client.event('MESSAGE_CREATE');
    const author = { ...d.author, id: String(bot.owner.id) };
    box.ship('MESSAGE_CREATE', { ...d, id: String(message.id), author }, guild);
    await box.shipped();
    expect(box.refusals.splice(0)).toEqual([expect.stringContaining(String(bot.owner.id))]);
    expect(await client.settled()).toEqual([]);
  });
});

describe('R-42, G-50: a box that is away', () => {
  it('has its guild listed in READY and shown as unavailable, and with GUILD_CREATE once it is back', async () => {
    box.isAway = true;
    const client = await open();
    client.identify(bot.token);
    expect((await client.event('READY')).d.guilds).toEqual([unavailable()]);
    expect((await client.event('GUILD_DELETE')).d).toEqual(unavailable());
    box.isAway = false;
    back();
    expect((await client.event('GUILD_CREATE')).d).toMatchObject({ id: String(guild.id), name: 'Attic' });
    await sayThere('back again');
    expect((await client.event('MESSAGE_CREATE')).d.content).toBe('back again');
  });

  it('is reported to the sessions with its guild, which get no events of it until it is back', async () => {
    const client = await session();
    box.isAway = true;
    box.tell({ type: 'GUILD_DELETE', guildId: guild.id, unavailable: true });
    expect((await client.event('GUILD_DELETE')).d).toEqual(unavailable());
    await sayThere('too late');
    expect(await client.settled()).toEqual([]);
    box.isAway = false;
    back();
    expect((await client.event('GUILD_CREATE')).d.id).toBe(String(guild.id));
  });

  it.each<[string, string, (answer: Frame['d']) => unknown]>([
    ['about another guild', 'guild', (answer) => ({ ...answer, id: answer.channels[0].id })],
    ["with an owner of the cloud's", 'guild', (answer) => ({ ...answer, owner_id: String(bot.owner.id) })],
    ['with what is no guild', 'guild', () => 'nonsense'],
    [
      'about another member',
      'member',
      (answer) => ({ ...answer, user: { ...answer.user, id: String(guild.owner.id) } }),
    ],
    ['with a bot as a person', 'member', (answer) => ({ ...answer, user: { ...answer.user, bot: false } })],
    ['with more members than were asked for', 'members', (answer) => Array.from({ length: 1_001 }, () => answer[0])],
  ])('R-35: counts as away if it answers %s', async (_what, call, forged) => {
    box.forged = (name, answer) => (name === call ? forged(answer) : answer);
    const client = await open();
    client.identify(bot.token);
    expect((await client.event('GUILD_DELETE')).d).toEqual(unavailable());
  });
});

describe('voice on a box', () => {
  const join = (client: GatewayClient, channelId: bigint | null) =>
    client.send(4, { guild_id: String(guild.id), channel_id: channelId && String(channelId), self_mute: false });

  it('cannot be joined through the gateway, and the connection stays open, with the box in reach or not', async () => {
    const voice = await box.server.app.db.reader.channel.findFirstOrThrow({ where: { guildId: guild.id, type: 2 } });
    const client = await session();
    join(client, voice.id);
    join(client, null);
    box.isAway = true;
    box.tell({ type: 'GUILD_ROLE_DELETE', guildId: guild.id, roleId: voice.id });
    expect((await client.event('GUILD_ROLE_DELETE')).d.guild_id).toBe(String(guild.id));
    join(client, voice.id);
    join(client, null);
    expect(await client.settled()).toEqual([]);
  });
});

describe("a bot's own guilds", () => {
  const listed = async (query = '') => {
    const { body } = await new RestBot(cloud, bot).get(`/users/@me/guilds${query}`);
    return body as Frame['d'][];
  };

  it('include those on boxes, in order and page by page', async () => {
    const near = await createGuild(cloud.app);
    await addMember(cloud.app, near.id, bot.user);
    const later = await box.announceGuild('Later');
    await box.install(bot, later);
    const ids = [guild.id, near.id, later.id].sort((one, other) => (one < other ? -1 : 1)).map(String);
    expect(idsOf(await listed())).toEqual(ids);
    expect(idsOf(await listed('?limit=1'))).toEqual(ids.slice(0, 1));
    expect(idsOf(await listed(`?limit=1&after=${ids[0]}`))).toEqual(ids.slice(1, 2));
    expect(idsOf(await listed(`?limit=2&before=${ids[2]}`))).toEqual(ids.slice(0, 2));
    const own = (await listed('?with_counts=true')).find(({ id }) => id === String(guild.id));
    expect(own).toMatchObject({ name: 'Attic', owner: false, approximate_member_count: 2 });
    expect(own.permissions).not.toBe('0');
  });

  it('include those of a box while it is away', async () => {
    box.isAway = true;
    const [own] = await listed('?with_counts=true');
    expect(own).toMatchObject({ id: String(guild.id), name: 'Attic', permissions: '0' });
    expect(own).not.toHaveProperty('approximate_member_count');
  });
});

it('the cloud asks no box about users of the cloud', async () => {
  box.asked.splice(0);
  const stranger = await createPerson(cloud.app);
  expect(await cloud.app.guilds.member(guild.id, stranger.id)).toBeNull();
  expect(box.asked).toEqual([]);
});

it('the cloud asks a box nothing about guilds and channels of the cloud, and asks only once for cached answers', async () => {
  const near = await createGuild(cloud.app);
  box.asked.splice(0);
  expect(await cloud.app.guilds.view(near.id)).not.toBeNull();
  expect(await cloud.app.guilds.guildOfChannel(near.channel.id)).toBe(near.id);
  expect(await cloud.app.guilds.guildOfChannel(guild.channel.id)).toBe(guild.id);
  expect(box.asked).toEqual([]);
  for (const _twice of [1, 2]) {
    expect(await cloud.app.guilds.view(guild.id)).toMatchObject({ id: guild.id, ownerId: guild.owner.id });
    expect(await cloud.app.guilds.member(guild.id, bot.id)).toMatchObject({ roleIds: [] });
    expect(await cloud.app.guilds.channel(guild.id, guild.channel.id)).toMatchObject({ name: 'general' });
  }
  expect(box.asked).toEqual(['guild', 'member']);
});
