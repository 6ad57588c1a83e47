import { GatewayIntentBits } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import { PRIVILEGED_INTENTS } from '../../src/domain/applications/index.js';
import type { GuildStore } from '../../src/domain/guilds/index.js';
import { identifyPerDay } from '../../src/domain/limits.js';
import { it } from '../harness/fixtures.js';
import { ALL_INTENTS, GatewayClient } from '../harness/gateway-client.js';
import { RestBot } from '../harness/rest.js';
import { addCrowd, createPerson, denyInChannel, nameMember, putInGuilds } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import {
  addMember,
  createBot,
  createBotInGuild,
  createChannel,
  createGuild,
  say,
  type TestBot,
  type TestGuild,
} from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ({ bot, guild } = await createBotInGuild(server.app));
});

const open = (of = server) => GatewayClient.open(of.origin);

async function closeOf(d: unknown): Promise<number> {
  const client = await open();
  client.send(2, d);
  return (await client.closed).code;
}

const identity = () => ({ token: bot.token, intents: 1, properties: {} });

describe('G-12 the payload', () => {
  it.each([
    ['no object', () => null],
    ['no token', () => ({ intents: 1 })],
    ['a token that is no text', () => ({ ...identity(), token: 7 })],
    ['text intents', () => ({ ...identity(), intents: '1' })],
    ['properties that are no object', () => ({ ...identity(), properties: 'linux' })],
    ['a text large_threshold', () => ({ ...identity(), large_threshold: '50' })],
    ['a presence of wrong types', () => ({ ...identity(), presence: { status: 'away' } })],
  ])('G-12 closes the connection with 4002 for %s', async (_name, payload) => {
    expect(await closeOf(payload())).toBe(4002);
  });

  it('G-12 accepts what libraries send: null for absent, a named compression, a presence that was never set', async () => {
    const client = await open();
    await client.ready(bot.token, {
      compress: 'zlib-stream',
      presence: { status: '', game: { name: '', type: 0, created_at: '0001-01-01T00:00:00Z' }, since: 0, afk: false },
      shard: null,
      large_threshold: 10,
      guild_subscriptions: true,
    });
    await client.close();
  });
});

describe('G-13 the token', () => {
  it.each(['', 'nonsense', 'a.b.c', 'Bot ', `${Buffer.from('9'.repeat(19)).toString('base64url')}.a.b`])(
    'G-13 closes 4004 for %j',
    async (token) => {
      expect(await closeOf({ ...identity(), token })).toBe(4004);
    },
  );

  it("G-13 closes 4004 for another's secret", async () => {
    const [id] = bot.token.split('.');
    const [, time, secret] = (await createBot(server.app)).token.split('.');
    expect(await closeOf({ ...identity(), token: [id, time, secret].join('.') })).toBe(4004);
  });

  it('G-13 accepts a token with the prefix `Bot `', async () => {
    const client = await open();
    await client.ready(`Bot ${bot.token}`);
    await client.close();
  });
});

it.each([undefined, null, 1 << 17, 1 << 30, 2 ** 31, 2 ** 40, 2 ** 52, 2 ** 60, 2 ** 80, -1, -(2 ** 60), 1.5])(
  'G-14 an IDENTIFY closes 4013 for intents %s',
  async (intents) => {
    expect(await closeOf({ ...identity(), intents })).toBe(4013);
  },
);

it.each(['1', true, {}, [1]])('G-12 an IDENTIFY closes 4002 for intents %j', async (intents) => {
  expect(await closeOf({ ...identity(), intents })).toBe(4002);
});

it.each([
  ['GUILD_MEMBERS', GatewayIntentBits.GuildMembers],
  ['PRESENCES', GatewayIntentBits.GuildPresences],
  ['MESSAGE_CONTENT', GatewayIntentBits.MessageContent],
] as const)('G-15 an IDENTIFY closes 4014 when %s is off, and only for that intent', async (setting, intent) => {
  const { token } = await createBot(server.app, {
    privilegedIntents: PRIVILEGED_INTENTS.filter((name) => name !== setting),
  });
  expect(await closeOf({ token, intents: intent })).toBe(4014);
  const client = await open();
  await client.ready(token, { intents: ALL_INTENTS & ~intent });
  await client.close();
});

it.each([
  ['IDENTIFY', 2],
  ['RESUME', 6],
])('G-16 an IDENTIFY closes 4005 for %s on a connection that has a session or is getting one', async (_name, op) => {
  const d = op === 2 ? identity() : { token: bot.token, session_id: 'x', seq: 1 };
  const identified = await open();
  await identified.ready(bot.token);
  identified.send(op, d);
  expect((await identified.closed).code).toBe(4005);
  const identifying = await open();
  identifying.send(2, identity());
  identifying.send(op, d);
  expect((await identifying.closed).code).toBe(4005);
});

describe('G-17 identify limits', () => {
  /** Starts shards of one bot. @returns whether each was refused */
  const startShards = async (of: TestServer, token: string, ids: number[], count: number) => {
    const clients = await Promise.all(ids.map(() => open(of)));
    // Shown to none of their guilds, of which these bots have many.
    const presence = { status: 'invisible', activities: [], since: null, afk: false };
    for (const [index, id] of ids.entries()) {
      clients[index]?.identify(token, { intents: 0, shard: [id, count], presence });
    }
    const first = await Promise.all(clients.map((client) => client.next(({ op, t }) => op === 9 || t === 'READY')));
    await Promise.all(clients.map((client) => client.close()));
    return first.map(({ op }) => op === 9);
  };

  it('G-17 are reported by op 9, at once first and then when a retry works, and the connection stays open', {
    tags: ['slow'],
  }, async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const { token } = await createBot(limited.app);
      const first = await open(limited);
      await first.ready(token);
      const second = await open(limited);
      second.identify(token);
      expect((await second.op(9)).d).toBe(false);
      second.identify(token);
      const otherBucket = await open(limited);
      await otherBucket.ready(token, { shard: [1, 2] });
      expect((await second.op(9)).d).toBe(false);
      await second.ready(token);
      await Promise.all([first, second, otherBucket].map((client) => client.close()));
    } finally {
      await limited.stop();
    }
  });

  // Starts a server.
  it('G-17 are one in 5 s for each of the buckets that GET /gateway/bot states, and 1,000 or more a day', async () => {
    const guildCounts = new Map<bigint, number>();
    const guilds = (store: GuildStore): GuildStore =>
      Object.assign(Object.create(store), {
        // None of them is on the shards that start.
        async *pagesOfGuildIds(userId: bigint) {
          for (let left = guildCounts.get(userId) ?? 0; left > 0; left -= 1_000) yield Array(1_000).fill(99n << 22n);
        },
      });
    const limited = await startServer({ env: { RATE_LIMITS: 'on' }, guilds });
    const { limits } = limited.app;
    try {
      const [small, large] = [await createBot(limited.app), await createBot(limited.app)];
      guildCounts.set(small.id, 149_000).set(large.id, 450_000);
      const stated = async (of: TestBot) =>
        (await new RestBot(limited, of).get('/gateway/bot')).body.session_start_limit;
      const { max_concurrency: buckets } = await stated(small);
      expect(buckets).toBe(16);
      const start = (shards: number[]) => startShards(limited, small.token, shards, 100);
      expect(await start(Array.from({ length: buckets - 1 }, (_, id) => id + 1))).toEqual(
        Array(buckets - 1).fill(false),
      );
      // These two share a bucket, so no others come between them.
      expect(await start([0])).toEqual([false]);
      expect(await start([buckets])).toEqual([true]);
      expect(await stated(small)).toMatchObject({ total: 1_000, remaining: 1_000 - buckets });

      await startShards(limited, large.token, [0], 100);
      for (const { id } of [small, large]) await limits.take(identifyPerDay(0), String(id), 1_000);
      expect(await startShards(limited, large.token, [1], 100)).toEqual([false]);
      expect(await stated(large)).toMatchObject({ total: 2_250, remaining: 2_250 - 1_002 });
      await limits.take(identifyPerDay(450_000), String(large.id), 2_250 - 1_002);
      expect(await startShards(limited, large.token, [2], 100)).toEqual([true]);
      expect(await stated(small)).toMatchObject({ total: 1_000, remaining: 0 });
    } finally {
      await limited.stop();
    }
  });

  it.each([
    [0, 1_000],
    [149_999, 1_000],
    [150_000, 2_000],
    [400_999, 2_000],
    [401_000, 2_005],
    [1_000_000, 5_000],
  ])('G-17 a bot in %i guilds has %i a day', (guilds, points) => {
    expect(identifyPerDay(guilds).points).toBe(points);
  });
});

describe('G-18 shards', () => {
  it.each([
    [[1, 1], 4010],
    [[-1, 2], 4010],
    [[0, 0], 4010],
    [[5, 2], 4010],
    [[2 ** 60, 2], 4010],
    [[0], 4002],
    [['0', '1'], 4002],
    ['0/1', 4002],
    [[0.5, 1], 4002],
  ])('G-18 closes %j with %i', async (shard, code) => {
    expect(await closeOf({ ...identity(), shard })).toBe(code);
  });

  it('G-18 gives a shard the guilds with (guild_id >> 22) % count == id', async () => {
    const sharded = await createBot(server.app);
    const shardOf = (id: bigint) => Number((id >> 22n) % 2n);
    const ids: bigint[] = [];
    while (new Set(ids.map(shardOf)).size < 2 || ids.length < 4) {
      const { id } = await createGuild(server.app, 'Shard');
      await addMember(server.app, id, sharded.user);
      ids.push(id);
    }
    for (const shard of [0, 1]) {
      const client = await open();
      const ready = await client.ready(sharded.token, { shard: [shard, 2] });
      const expected = ids.filter((id) => shardOf(id) === shard).map(String);
      expect(ready.d.guilds.map((entry: { id: string }) => entry.id)).toEqual(expected);
      expect(ready.d.shard).toEqual([shard, 2]);
      await client.close();
    }
  });
});

it('G-19 an IDENTIFY closes 4011 beyond 2,500 guilds for a shard, and for none of the shards that GET /gateway/bot recommends', {
  tags: ['slow'],
}, async () => {
  const popular = await createBot(server.app);
  const rest = new RestBot(server, popular);
  const joinGuilds = async (first: number, count: number) => {
    const ids = Array.from({ length: count }, (_, index) => (BigInt(first + index) << 22n) + (1n << 50n));
    await putInGuilds(server.app, ids, guild.owner, popular.user);
  };
  const recommended = async (): Promise<number> => (await rest.get('/gateway/bot')).body.shards;
  expect(await recommended()).toBe(1);
  await joinGuilds(0, 1_000);
  expect(await recommended()).toBe(1);
  await joinGuilds(1_000, 1_501);
  expect(await closeOf({ token: popular.token, intents: 0 })).toBe(4011);
  const count = await recommended();
  expect(count).toBe(3);
  const held: number[] = [];
  for (let id = 0; id < count; id += 1) {
    const client = await open();
    client.identify(popular.token, { intents: 0, shard: [id, count] });
    held.push((await client.event('READY')).d.guilds.length);
    await client.close();
  }
  expect(held.sort()).toEqual([833, 834, 834]);
});

it('G-20 READY comes first, with the fields that a client starts with', async () => {
  const client = await open();
  const ready = await client.ready(bot.token);
  expect(ready.s).toBe(1);
  expect(ready.d).toMatchObject({
    v: 10,
    user: { id: String(bot.id), username: bot.user.username, bot: true },
    guilds: [{ id: String(guild.id), unavailable: true }],
    session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    resume_gateway_url: `${server.origin.replace('http', 'ws')}/gateway`,
    session_type: 'normal',
    application: { id: String(bot.id), flags: (1 << 13) | (1 << 15) | (1 << 19) },
    private_channels: [],
  });
  expect(ready.d).not.toHaveProperty('shard');
  await client.close();
});

describe('G-21 GUILD_CREATE', () => {
  it('G-21 has the whole guild', async () => {
    const message = await say(server.app, guild, guild.owner, 'last');
    await denyInChannel(server, { id: String(guild.id) }, String(guild.channel.id), 8n);
    const client = await open();
    client.identify(bot.token);
    const { d } = await client.event('GUILD_CREATE');
    expect(d).toMatchObject({
      id: String(guild.id),
      name: 'Guild',
      owner_id: String(guild.owner.id),
      unavailable: false,
      large: false,
      member_count: 2,
      joined_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      roles: [
        { id: String(guild.id), name: '@everyone' },
        { name: bot.user.username, managed: true, tags: { bot_id: String(bot.id) } },
      ],
      voice_states: [],
      threads: [],
      presences: [{ user: { id: String(bot.id) }, status: 'online', activities: [], client_status: { web: 'online' } }],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: [],
    });
    expect(d.channels).toMatchObject([
      {
        id: String(guild.channel.id),
        name: 'general',
        last_message_id: String(message.id),
        permission_overwrites: [{ id: String(guild.id), type: 0, allow: '0', deny: '8' }],
      },
      { name: 'General', type: 2 },
    ]);
    await client.close();
  });

  it('G-21 is not sent without the GUILDS intent, and includes later changes for a later session', async () => {
    const without = await open();
    without.identify(bot.token, { intents: GatewayIntentBits.GuildMessages });
    await without.event('READY');
    expect(await without.settled()).toEqual([]);
    await createChannel(server.app, guild.id, 'added');
    const later = await open();
    later.identify(bot.token);
    const names = (await later.event('GUILD_CREATE')).d.channels.map((entry: { name: string }) => entry.name);
    expect(names).toEqual(['general', 'General', 'added']);
    await Promise.all([without.close(), later.close()]);
  });
});

describe('G-22 members', () => {
  const membersSeen = async (token: string, more: object) => {
    const client = await open();
    client.identify(token, more);
    const { d } = await client.event('GUILD_CREATE');
    await client.close();
    return { large: d.large, ids: d.members.map((member: { user: { id: string } }) => member.user.id) };
  };

  it('G-22 are all members of a small guild with the presences intent, and only the bot itself without it', async () => {
    const { ids } = await membersSeen(bot.token, {});
    expect(ids).toEqual([String(bot.id), String(guild.owner.id)].sort());
    const without = await membersSeen(bot.token, { intents: ALL_INTENTS & ~GatewayIntentBits.GuildPresences });
    expect(without).toEqual({ large: false, ids: [String(bot.id)] });
  });

  it('G-22 are those with a role or nickname, and the bot itself, in a guild beyond large_threshold', async () => {
    const crowd = await createGuild(server.app, 'Crowd');
    const member = await createBot(server.app);
    await addMember(server.app, crowd.id, member.user);
    const named = await createPerson(server.app);
    await addMember(server.app, crowd.id, named);
    await nameMember(server.app, crowd.id, named, 'somebody');
    await addCrowd(server.app, crowd.id, 58);
    const large = await membersSeen(member.token, {});
    expect(large.large).toBe(true);
    expect(large.ids.sort()).toEqual([String(member.id), String(named.id)].sort());
    const small = await membersSeen(member.token, { large_threshold: 61 });
    expect(small.large).toBe(false);
    expect(small.ids).toHaveLength(61);
  });
});

it('G-23 events during the initial GUILD_CREATEs are not lost and keep their order', async () => {
  const busy = await createBot(server.app);
  const guilds: TestGuild[] = [];
  for (let count = 0; count < 20; count += 1) {
    const joined = await createGuild(server.app);
    await addMember(server.app, joined.id, busy.user);
    guilds.push(joined);
  }
  const client = await open();
  let said = 0;
  let rounds = 0;
  let saying = Promise.resolve();
  const sayEverywhere = async () => {
    for (const at of guilds) await say(server.app, at, at.owner, String(said++));
  };
  client.socket.on('message', () => {
    if (rounds++ < 2) saying = saying.then(sayEverywhere);
  });
  client.identify(busy.token);
  await client.event('READY');
  const saidBefore = said;
  for (const _ of guilds) await client.event('GUILD_CREATE');
  await saying;
  // Events of one guild come in order. Guilds do not wait for each other.
  for (const at of guilds) await say(server.app, at, at.owner, 'end');
  for (const _ of guilds) await client.next((frame) => frame.d?.content === 'end');
  const afterReady = client.frames.findIndex((frame) => frame.t === 'READY');
  for (const at of guilds) {
    const own = client.frames
      .slice(afterReady)
      .filter((frame) => [frame.d?.id, frame.d?.guild_id].includes(String(at.id)));
    expect(own[0]!.t).toBe('GUILD_CREATE');
    const heard = own.filter((frame) => frame.t === 'MESSAGE_CREATE' && frame.d.content !== 'end');
    const numbers = heard.map((frame) => Number(frame.d.content));
    const [first = said] = numbers;
    expect(first).toBeLessThan(saidBefore + guilds.length);
    expect(numbers).toEqual(numbers.map((_, index) => first + index * guilds.length));
    expect(numbers.at(-1)).toBe(said - guilds.length + guilds.indexOf(at));
  }
  await client.close();
});
