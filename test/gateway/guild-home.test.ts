import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.js';
import { GuildUnavailable } from '../../src/domain/guilds/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { topics } from '../../src/infra/streams/topics.js';
import { renderEvent } from '../../src/wire/events/index.js';
import { wireTime } from '../../src/wire/time.js';
import { ALL_INTENTS, type Frame, GatewayClient } from '../harness/gateway-client.js';
import {
  addGuild,
  channelOf,
  joinMembers,
  type MemoryGuild,
  MemoryHome,
  messageOf,
  nobodysRow,
} from '../harness/guild-home.js';
import { RestBot } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { type Refusals, refuseStatements } from '../harness/statements.js';
import { createBot, type TestBot } from '../harness/world.js';

/** The tables of guilds. No query may use them in these tests. */
const GUILD_TABLES = /\b(Guild|Channel|ChannelOverwrite|Role|Member|MemberRole|Message|Reaction|Invite)\b/;

const home = new MemoryHome();
let server: TestServer;
let refusals: Refusals;
let bot: TestBot;
let guild: MemoryGuild;
const clients: GatewayClient[] = [];

beforeAll(async () => {
  server = await startServer({ guilds: () => home });
  refusals = refuseStatements(GUILD_TABLES);
});
afterAll(async () => {
  refusals.end();
  await server.stop();
});

beforeEach(async () => {
  home.guilds.clear();
  home.unreachable.clear();
  bot = await createBot(server.app);
  guild = addGuild(server.app, home, 'Afar', bot.user);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  expect(refusals.refused).toEqual([]);
});

async function open(): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  return client;
}

async function session(more: object = {}): Promise<GatewayClient> {
  const client = await open();
  await client.ready(bot.token, more);
  return client;
}

/** Publishes an event as another process would: rendered there, and parsed from its text here. */
function ship(event: DomainEvent): void {
  const { topics, message } = renderEvent(event, server.app.addresses);
  for (const topic of topics) server.app.bus.publish(topic, JSON.parse(JSON.stringify(message)));
}

function say(content: string, channelId = guild.channel.id): void {
  ship({
    type: 'MESSAGE_CREATE',
    message: { ...messageOf(server.app, guild, guild.owner, { content }), channelId },
    member: null,
  });
}

function addRole(permissions: bigint): bigint {
  const [everyone] = guild.snapshot.guild.roles;
  const role = { ...everyone!, id: server.app.nextId(), name: 'role', permissions };
  guild.snapshot.guild.roles.push(role);
  return role.id;
}

async function sentTo(...sessions: GatewayClient[]): Promise<Frame[][]> {
  const channel = channelOf(server.app, guild.id, 'the end');
  ship({ type: 'CHANNEL_CREATE', channel });
  return Promise.all(
    sessions.map(async (client) => {
      const frames: Frame[] = [];
      for (;;) {
        const frame = await client.next(({ op }) => op === 0);
        if (frame.t === 'CHANNEL_CREATE' && frame.d.id === String(channel.id)) return frames;
        frames.push(frame);
      }
    }),
  );
}

const shown = (sent: Frame[][]) => sent.map((frames) => frames.map(({ t, d }) => d.content ?? t));

it('the database refuses queries about guilds', async () => {
  await expect(server.app.db.reader.guild.count()).rejects.toThrow();
  await expect(
    server.app.db.reader.application.findMany({ include: { bot: { include: { memberships: true } } } }),
  ).rejects.toThrow();
  expect(refusals.refused.splice(0)).toHaveLength(2);
});

describe('READY and GUILD_CREATE', () => {
  it('G-20, G-21: show the guild as its store has it', async () => {
    guild.snapshot.guild.description = 'far away';
    guild.snapshot.lastMessageIds = new Map([[guild.channel.id, 7n]]);
    guild.channel.overwrites = [
      { channelId: guild.channel.id, targetId: guild.id, targetType: 0, allow: 0n, deny: 8n },
    ];
    const client = await open();
    client.identify(bot.token);
    expect((await client.event('READY')).d.guilds).toEqual([{ id: String(guild.id), unavailable: true }]);
    const { d } = await client.event('GUILD_CREATE');
    expect(d).toMatchObject({
      id: String(guild.id),
      name: 'Afar',
      description: 'far away',
      owner_id: String(guild.owner.id),
      unavailable: false,
      large: false,
      member_count: 2,
      joined_at: wireTime(guild.members[0]?.joinedAt ?? 0),
      roles: [{ id: String(guild.id), name: '@everyone' }],
    });
    expect(d.channels).toMatchObject([
      {
        id: String(guild.channel.id),
        last_message_id: '7',
        permission_overwrites: [{ id: String(guild.id), type: 0, allow: '0', deny: '8' }],
      },
    ]);
    expect(d.members.map(({ user }: Frame['d']) => user.id).sort()).toEqual(
      [String(guild.owner.id), String(bot.id)].sort(),
    );
  });

  it('G-22: show members with a nickname, and the bot itself, of a guild beyond large_threshold', async () => {
    const crowd = Array.from({ length: 60 }, (_, n) => nobodysRow(server.app, `crowd${n}`));
    const [named] = joinMembers(server.app, guild, ...crowd);
    named!.nick = 'heron';
    const client = await open();
    client.identify(bot.token);
    const { d } = await client.event('GUILD_CREATE');
    expect([d.large, d.member_count]).toEqual([true, 62]);
    expect(d.members.map(({ user }: Frame['d']) => user.username).sort()).toEqual([bot.user.username, 'crowd0'].sort());
  });

  it('G-22: read members again for the next session if they could not be read', async () => {
    const others = await session({ intents: Intent.Guilds });
    Object.assign(home, { members: () => Promise.reject(new GuildUnavailable(guild.id)) });
    const [unlucky, lucky] = [await open(), await open()];
    unlucky.identify(bot.token);
    expect((await unlucky.event('GUILD_DELETE')).d).toEqual({ id: String(guild.id), unavailable: true });
    Reflect.deleteProperty(home, 'members');
    lucky.identify(bot.token);
    expect((await lucky.event('GUILD_CREATE')).d.members).toHaveLength(2);
    expect(await others.settled()).toEqual([]);
  });

  const everyone = () => guild.snapshot.guild.roles[0]!;
  const changes: [string, () => DomainEvent, (d: Frame['d']) => unknown, unknown][] = [
    [
      'GUILD_UPDATE',
      () => ({ type: 'GUILD_UPDATE', guild: Object.assign(guild.snapshot.guild, { name: 'New' }) }),
      (d) => d.name,
      'New',
    ],
    [
      'GUILD_ROLE_CREATE',
      () => ({
        type: 'GUILD_ROLE_CREATE',
        role: guild.snapshot.guild.roles.find(({ id }) => id === addRole(8n)) ?? everyone(),
      }),
      (d) => d.roles.length,
      2,
    ],
    [
      'GUILD_ROLE_UPDATE',
      () => ({ type: 'GUILD_ROLE_UPDATE', role: Object.assign(everyone(), { permissions: 8n }) }),
      (d) => d.roles[0].permissions,
      '8',
    ],
    [
      'GUILD_ROLE_DELETE',
      () => ({ type: 'GUILD_ROLE_DELETE', guildId: guild.id, roleId: guild.snapshot.guild.roles.splice(0)[0]!.id }),
      (d) => d.roles,
      [],
    ],
    [
      'CHANNEL_CREATE',
      () => {
        const channel = channelOf(server.app, guild.id, 'new');
        guild.snapshot.channels.push(channel);
        return { type: 'CHANNEL_CREATE', channel };
      },
      (d) => d.channels.length,
      2,
    ],
    [
      'GUILD_MEMBER_ADD',
      () => ({ type: 'GUILD_MEMBER_ADD', member: joinMembers(server.app, guild, nobodysRow(server.app, 'new'))[0]! }),
      (d) => d.member_count,
      3,
    ],
    [
      'GUILD_MEMBER_UPDATE',
      () => ({ type: 'GUILD_MEMBER_UPDATE', member: Object.assign(guild.members[0]!, { nick: 'heron' }) }),
      (d) => d.members.map(({ nick }: Frame['d']) => nick).includes('heron'),
      true,
    ],
    [
      'GUILD_MEMBER_REMOVE',
      () => {
        guild.snapshot.memberCount -= 1;
        return { type: 'GUILD_MEMBER_REMOVE', guildId: guild.id, user: guild.owner };
      },
      (d) => d.member_count,
      1,
    ],
    [
      'MESSAGE_CREATE',
      () => {
        const message = messageOf(server.app, guild, guild.owner);
        guild.snapshot.lastMessageIds = new Map([[guild.channel.id, 9n]]);
        return { type: 'MESSAGE_CREATE', message, member: null };
      },
      (d) => d.channels[0].last_message_id,
      '9',
    ],
  ];

  it.each(changes)('G-21: show a later session the changes of %s', async (_name, change, shownOf, expected) => {
    const earlier = await session();
    const created = earlier.frames.find(({ t }) => t === 'GUILD_CREATE')!.d;
    expect(shownOf(created)).not.toEqual(expected);
    ship(change());
    const later = await open();
    later.identify(bot.token);
    expect(shownOf((await later.event('GUILD_CREATE')).d)).toEqual(expected);
  });

  it('G-18, G-29: are sent for a guild that the bot joins, in the shard of the guild', async () => {
    const [first, second] = [await session({ shard: [0, 2] }), await session({ shard: [1, 2] })];
    const joined = addGuild(server.app, home, 'Joined', bot.user);
    const here = (joined.id >> 22n) % 2n === 0n ? first : second;
    ship({ type: 'GUILD_JOINED', guildId: joined.id, userId: bot.id });
    expect((await here.event('GUILD_CREATE')).d).toMatchObject({ id: String(joined.id), name: 'Joined' });
    expect(await (here === first ? second : first).settled()).toEqual([]);
  });
});

describe('G-40 members on request', () => {
  async function ask(client: GatewayClient, request: object): Promise<Frame['d']> {
    client.send(8, { guild_id: String(guild.id), ...request });
    return (await client.event('GUILD_MEMBERS_CHUNK')).d;
  }
  const names = (chunk: Frame['d']) => chunk.members.map(({ user }: Frame['d']) => user.username).sort();

  beforeEach(() => {
    const [, anton] = joinMembers(
      server.app,
      guild,
      nobodysRow(server.app, 'anna'),
      nobodysRow(server.app, 'anton'),
      nobodysRow(server.app, 'bert'),
    );
    anton!.nick = 'Heron';
  });

  it('come as the whole list, in chunks of 1,000, or its first `limit`', async () => {
    joinMembers(server.app, guild, ...Array.from({ length: 1_200 }, (_, n) => nobodysRow(server.app, `crowd${n}`)));
    const client = await session();
    const first = await ask(client, { query: '', limit: 0 });
    const second = (await client.event('GUILD_MEMBERS_CHUNK')).d;
    expect([first.chunk_index, second.chunk_index, second.chunk_count]).toEqual([0, 1, 2]);
    const seen = [...names(first), ...names(second)];
    expect([seen.length, new Set(seen).size]).toEqual([1_205, 1_205]);
    expect((await ask(client, { query: '', limit: 3 })).members).toHaveLength(3);
  });

  it("are limited to the bot's own member without the members intent", async () => {
    const client = await session({ intents: Intent.Guilds });
    expect(names(await ask(client, { query: '', limit: 0 }))).toEqual([bot.user.username]);
  });

  it('come by id, with ids of non-members in `not_found`', async () => {
    const chunk = await ask(await session(), { user_ids: [String(guild.owner.id), '42', 'x'] });
    expect(names(chunk)).toEqual([guild.owner.username]);
    expect(chunk.not_found).toEqual(['42', 'x']);
  });

  it('come by a prefix of username or nickname, up to `limit`', async () => {
    const client = await session();
    expect(names(await ask(client, { query: 'AN', limit: 10 }))).toEqual(['anna', 'anton']);
    expect(names(await ask(client, { query: 'an', limit: 1 }))).toEqual(['anna']);
    expect(names(await ask(client, { query: 'her', limit: 0 }))).toEqual(['anton']);
    expect(names(await ask(client, { query: 'nobody', limit: 0 }))).toEqual([]);
  });
});

describe('events', () => {
  it('G-26: are sent if the roles and overwrites of the store let the bot see the channel', async () => {
    const hidden = channelOf(server.app, guild.id, 'hidden');
    const deny = Permission.ViewChannel;
    hidden.overwrites = [{ channelId: hidden.id, targetId: bot.id, targetType: 1, allow: 0n, deny }];
    guild.snapshot.channels.push(hidden);
    const client = await session();
    say('seen');
    say('unseen', hidden.id);
    say('seen, too');
    expect(shown(await sentTo(client))).toEqual([['seen', 'seen, too']]);
  });

  it('G-26: are sent by the new permissions once a change of them was published', async () => {
    const client = await session();
    const [everyone] = guild.snapshot.guild.roles;
    say('before');
    expect(shown(await sentTo(client))).toEqual([['before']]);
    everyone!.permissions = 0n;
    ship({ type: 'GUILD_ROLE_UPDATE', role: everyone! });
    say('meanwhile');
    expect(shown(await sentTo(client))).toEqual([['GUILD_ROLE_UPDATE']]);
    const own = guild.members.find(({ userId }) => userId === bot.id)!;
    own.roles = [{ roleId: addRole(Permission.ViewChannel) }];
    ship({ type: 'GUILD_MEMBER_UPDATE', member: own });
    say('after');
    expect(shown(await sentTo(client))).toEqual([['GUILD_MEMBER_UPDATE', 'after']]);
  });

  it('G-25, G-27: are sent by intents, and without what only the message-content intent may read', async () => {
    const silent = await session({ intents: Intent.Guilds });
    const deaf = await session({ intents: ALL_INTENTS & ~Intent.MessageContent });
    const hearing = await session();
    say('secret');
    expect(shown(await sentTo(silent, deaf, hearing))).toEqual([[], [''], ['secret']]);
  });
});

describe('REST', () => {
  const rest = () => new RestBot(server, bot);
  const typing = (channelId: bigint) => rest().post(`/channels/${channelId}/typing`, {});

  it('lets the bot act in a channel by its permissions there, and the gateway sends the event', async () => {
    const client = await session();
    expect((await typing(guild.channel.id)).status).toBe(204);
    expect((await client.event('TYPING_START')).d).toMatchObject({
      channel_id: String(guild.channel.id),
      user_id: String(bot.id),
    });
    const [everyone] = guild.snapshot.guild.roles;
    everyone!.permissions = Permission.ViewChannel;
    expect(await typing(guild.channel.id)).toMatchObject({ status: 403, body: { code: 50_013 } });
    everyone!.permissions = 0n;
    expect(await typing(guild.channel.id)).toMatchObject({ status: 403, body: { code: 50_001 } });
    expect(await typing(42n)).toMatchObject({ status: 404, body: { code: 10_003 } });
  });

  it('distinguishes a guild that the bot is not a member of from one that does not exist', async () => {
    const other = addGuild(server.app, home, 'Other');
    expect(await rest().get(`/guilds/${other.id}`)).toMatchObject({ status: 403, body: { code: 50_001 } });
    expect(await rest().get('/guilds/42')).toMatchObject({ status: 404, body: { code: 10_004 } });
  });

  it('G-50: answers 503 for a guild that is known and out of reach, and for its channels', async () => {
    home.unreachable.add(guild.id);
    for (const answer of [await rest().get(`/guilds/${guild.id}`), await typing(guild.channel.id)]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    }
  });
});

describe('G-50 a guild that is out of reach', () => {
  const unavailable = () => ({ id: String(guild.id), unavailable: true });

  it('G-50 is listed in READY and shown as unavailable, and comes with GUILD_CREATE when it is back', async () => {
    home.unreachable.add(guild.id);
    const near = addGuild(server.app, home, 'Near', bot.user);
    const client = await open();
    client.identify(bot.token);
    expect((await client.event('READY')).d.guilds).toEqual([unavailable(), { id: String(near.id), unavailable: true }]);
    const frames = [await client.next(), await client.next()];
    expect(frames.map(({ t, d }) => [t, d.id, d.unavailable])).toEqual([
      ['GUILD_DELETE', String(guild.id), true],
      ['GUILD_CREATE', String(near.id), false],
    ]);
    home.unreachable.clear();
    ship({ type: 'GUILD_JOINED', guildId: guild.id, userId: bot.id });
    expect((await client.event('GUILD_CREATE')).d).toMatchObject({ id: String(guild.id), name: 'Afar' });
    say('back again');
    expect(shown(await sentTo(client))).toEqual([['back again']]);
  });

  it('G-50 becomes unavailable for the sessions that have it, which get no events of it until GUILD_CREATE', async () => {
    const client = await session();
    home.unreachable.add(guild.id);
    ship({ type: 'GUILD_DELETE', guildId: guild.id, unavailable: true });
    expect((await client.event('GUILD_DELETE')).d).toEqual(unavailable());
    say('too late');
    expect(await client.settled()).toEqual([]);
    home.unreachable.clear();
    ship({ type: 'GUILD_JOINED', guildId: guild.id, userId: bot.id });
    expect((await client.event('GUILD_CREATE')).d.id).toBe(String(guild.id));
    say('in time');
    expect(shown(await sentTo(client))).toEqual([['in time']]);
  });

  it('G-50, G-23: an event whose permissions cannot be read is left out, and no session ends for it', async () => {
    const client = await session();
    home.unreachable.add(guild.id);
    say('out of reach');
    ship({ type: 'GUILD_DELETE', guildId: guild.id, unavailable: true });
    const told = await client.next(({ op }) => op === 0);
    expect([told.t, told.d]).toEqual(['GUILD_DELETE', unavailable()]);
    home.unreachable.clear();
    ship({ type: 'GUILD_JOINED', guildId: guild.id, userId: bot.id });
    expect((await client.event('GUILD_CREATE')).d.id).toBe(String(guild.id));
    say('back again');
    expect(shown(await sentTo(client))).toEqual([['back again']]);
  });

  it('G-50, G-23: an event waits for permissions while its guild is out of reach, and is sent if the guild is back before its absence is published', async () => {
    const client = await session();
    home.unreachable.add(guild.id);
    say('out of reach');
    setImmediate(() => home.unreachable.clear());
    const told = await client.next(({ op }) => op === 0);
    expect([told.t, told.d.content]).toEqual(['MESSAGE_CREATE', 'out of reach']);
  });

  it('G-50, G-23: when its absence is published, an event goes to the bots whose permission is already known', async () => {
    const knower = await session();
    say('before');
    expect((await knower.event('MESSAGE_CREATE')).d.content).toBe('before');
    const newcomer = await createBot(server.app);
    joinMembers(server.app, guild, newcomer.user);
    const client = await open();
    await client.ready(newcomer.token);
    home.unreachable.add(guild.id);
    say('out of reach');
    ship({ type: 'GUILD_DELETE', guildId: guild.id, unavailable: true });
    expect((await knower.event('MESSAGE_CREATE')).d.content).toBe('out of reach');
    const told = await client.next(({ op }) => op === 0);
    expect([told.t, told.d]).toEqual(['GUILD_DELETE', unavailable()]);
    expect((await knower.event('GUILD_DELETE')).d).toEqual(unavailable());
    home.unreachable.clear();
  });

  it('G-50 is lost and shown again even if its return is published while an event before its loss waits for permissions', async () => {
    const client = await session();
    say('just before');
    ship({ type: 'GUILD_DELETE', guildId: guild.id, unavailable: true });
    ship({ type: 'GUILD_JOINED', guildId: guild.id, userId: bot.id });
    const told = [await client.event('GUILD_DELETE'), await client.event('GUILD_CREATE')];
    expect(told.map(({ d }) => d.id)).toEqual([String(guild.id), String(guild.id)]);
    say('back again');
    expect((await client.event('MESSAGE_CREATE')).d.content).toBe('back again');
  });

  it('G-50 answers requests for members with an empty chunk, and the connection stays open', async () => {
    const client = await session();
    home.unreachable.add(guild.id);
    const guild_id = String(guild.id);
    client.send(8, { guild_id, query: '', limit: 0, nonce: 'all' });
    client.send(8, { guild_id, query: 'a', limit: 1, nonce: 'prefix' });
    client.send(8, { guild_id, user_ids: [String(bot.id)], nonce: 'ids' });
    const chunks = [];
    for (let count = 0; count < 3; count += 1) chunks.push((await client.event('GUILD_MEMBERS_CHUNK')).d);
    const empty = { guild_id, members: [], chunk_index: 0, chunk_count: 1 };
    expect(chunks).toEqual([
      { ...empty, nonce: 'all' },
      { ...empty, nonce: 'prefix' },
      { ...empty, nonce: 'ids', not_found: [String(bot.id)] },
    ]);
  });

  describe('G-50 and ends for the bot', () => {
    const left = (client: Promise<Frame[]>) => client.then((frames) => frames.map(({ t, d }) => [t, d]));
    const gone = () => [['GUILD_DELETE', { id: String(guild.id) }]];
    const loseBot = () => {
      guild.members = guild.members.filter(({ userId }) => userId !== bot.id);
    };
    const catchUp = () => server.app.bus.lose(topics.application(bot.id));
    const tellLeft = () => ship({ type: 'GUILD_LEFT', guildId: guild.id, userId: bot.id });
    const tellDeleted = () => ship({ type: 'GUILD_DELETE', guildId: guild.id, unavailable: false });

    async function shownUnavailable(): Promise<GatewayClient> {
      const client = await session();
      home.unreachable.add(guild.id);
      ship({ type: 'GUILD_DELETE', guildId: guild.id, unavailable: true });
      expect((await client.event('GUILD_DELETE')).d).toEqual(unavailable());
      return client;
    }

    it.each<[string, () => void]>([
      ['it is published as left', tellLeft],
      ['it is published as left, twice', () => [tellLeft(), tellLeft()]],
      ['it is published as left, and deleted', () => [tellLeft(), tellDeleted()]],
      ['it is published as deleted, and left', () => [tellDeleted(), tellLeft()]],
    ])('is followed by one GUILD_DELETE if %s', async (_how, tell) => {
      const client = await shownUnavailable();
      tell();
      expect(await left(client.settled())).toEqual(gone());
      tellLeft();
      expect(await client.settled()).toEqual([]);
    });

    it('is followed by it also if only READY listed the guild', async () => {
      home.unreachable.add(guild.id);
      const client = await session();
      tellLeft();
      expect(await left(client.settled())).toEqual(gone());
    });

    it('is followed by it within a minute if the event did not arrive, out of reach or not', async () => {
      for (const isReachable of [false, true]) {
        const client = await shownUnavailable();
        loseBot();
        if (isReachable) home.unreachable.clear();
        catchUp();
        const { d } = await client.event('GUILD_DELETE');
        expect(d).toEqual({ id: String(guild.id) });
        catchUp();
        expect(await client.settled()).toEqual([]);
        home.unreachable.clear();
        joinMembers(server.app, guild, bot.user);
      }
    });

    it('is not followed by it if the bot got and left the guild since, nor without the guilds intent', async () => {
      const deaf = await open();
      deaf.identify(bot.token, { intents: 0 });
      await deaf.event('READY');
      const client = await shownUnavailable();
      home.unreachable.clear();
      ship({ type: 'GUILD_JOINED', guildId: guild.id, userId: bot.id });
      await client.event('GUILD_CREATE');
      tellDeleted();
      tellLeft();
      expect(await left(client.settled())).toEqual(gone());
      expect(await deaf.settled()).toEqual([]);
    });

    it.each<[string, () => void]>([
      ['left and deleted', () => [tellLeft(), tellDeleted()]],
      ['deleted and left', () => [tellDeleted(), tellLeft()]],
    ])(
      'a guild that a session has and that is reported to be %s is followed by one GUILD_DELETE',
      async (_how, tell) => {
        const client = await session();
        tell();
        expect(await left(client.settled())).toEqual(gone());
      },
    );
  });

  it('G-50 does not keep a bot from catching up on its other guilds', async () => {
    home.unreachable.add(guild.id);
    const client = await session();
    const missed = addGuild(server.app, home, 'Missed', bot.user);
    server.app.bus.lose(topics.application(bot.id));
    expect((await client.event('GUILD_CREATE')).d.id).toBe(String(missed.id));
    expect(await client.settled()).toEqual([]);
  });
});
