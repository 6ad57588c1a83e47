import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { User } from '../../src/infra/database/index.js';
import { boxSnowflakes, ID_SPACES } from '../../src/infra/ids/ids.js';
import { topics } from '../../src/infra/streams/topics.js';
import { ManualClock } from '../harness/clock.js';
import { ALL_INTENTS, type Frame, GatewayClient } from '../harness/gateway-client.js';
import { addGuild, joinMembers, type MemoryGuild, MemoryHome, nobodysRow } from '../harness/guild-home.js';
import { createApplication, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';

const clock = new ManualClock();
const home = new MemoryHome();
const clients: GatewayClient[] = [];
let server: TestServer;
let ada: Person;
let bot: User;
let token: string;

beforeAll(async () => {
  server = await startServer({ guilds: () => home, clock });
  ada = await signUp(server, 'ada');
});
afterAll(() => server.stop());

beforeEach(async () => {
  const made = await createApplication(ada);
  token = made.botToken;
  bot = await server.app.db.reader.user.findUniqueOrThrow({ where: { id: BigInt(made.id) } });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  home.guilds.clear();
});

async function session(more: object = {}): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  client.identify(token, more);
  const { d } = await client.event('READY');
  const { intents = ALL_INTENTS } = more as { intents?: number };
  if (intents & Intent.Guilds) for (const _ of d.guilds) await client.event('GUILD_CREATE');
  return client;
}

const told = (frames: Frame[]) => frames.map(({ t, d }) => [t, d.id]);

function guildOfSecondShard(...members: User[]): MemoryGuild {
  let guild = addGuild(server.app, home, 'Odd', ...members);
  while ((guild.id >> 22n) % 2n === 0n) {
    home.guilds.delete(guild.id);
    clock.advance(1);
    guild = addGuild(server.app, home, 'Odd', ...members);
  }
  return guild;
}

it('events without a guild go to the first shard, and those that need an intent to sessions with it', async () => {
  const first = await session({ shard: [0, 2] });
  const second = await session({ shard: [1, 2] });
  const deaf = await session({ intents: Intent.Guilds });
  server.app.publish({ type: 'USER_UPDATE', user: bot });
  const place = { guildId: null, channelId: 9n, recipientIds: [bot.id] };
  server.app.publish({ type: 'MESSAGE_REACTION_REMOVE_ALL', ...place, messageId: 8n });
  const types = async (client: GatewayClient) => (await client.settled()).map(({ t }) => t);
  expect(await types(first)).toEqual(['USER_UPDATE', 'MESSAGE_REACTION_REMOVE_ALL']);
  expect(await types(deaf)).toEqual(['USER_UPDATE']);
  expect(await types(second)).toEqual([]);
});

it('sessions leave a guild once, and those with the guilds intent get GUILD_DELETE', async () => {
  const guild = addGuild(server.app, home, 'Left', bot);
  const [told1, untold] = [await session(), await session({ intents: Intent.GuildMessages })];
  for (let count = 0; count < 2; count += 1) {
    server.app.publish({ type: 'GUILD_LEFT', guildId: guild.id, userId: bot.id });
  }
  expect(told(await told1.settled())).toEqual([['GUILD_DELETE', String(guild.id)]]);
  expect(await untold.settled()).toEqual([]);
});

it('a guild that a bot joins twice is shown once', async () => {
  const client = await session();
  const guild = addGuild(server.app, home, 'Joined', bot);
  for (let count = 0; count < 2; count += 1) {
    server.app.publish({ type: 'GUILD_JOINED', guildId: guild.id, userId: bot.id });
  }
  expect((await client.event('GUILD_CREATE')).d.id).toBe(String(guild.id));
  expect(await client.settled()).toEqual([]);
});

it('G-49 each shard catches up on missed events of its own guilds only', async () => {
  const [kept, left] = [guildOfSecondShard(bot), guildOfSecondShard(bot)];
  const first = await session({ shard: [0, 2], intents: Intent.Guilds });
  const second = await session({ shard: [1, 2] });
  const joined = guildOfSecondShard();
  joinMembers(server.app, joined, bot);
  left.members = left.members.filter(({ userId }) => userId !== bot.id);
  server.app.bus.lose(topics.user(bot.id));
  server.app.bus.lose(topics.application(bot.id));
  const frames = [await second.next(({ op }) => op === 0), await second.next(({ op }) => op === 0)];
  expect(told(frames).sort()).toEqual(
    [
      ['GUILD_CREATE', String(joined.id)],
      ['GUILD_DELETE', String(left.id)],
    ].sort(),
  );
  expect(await second.settled()).toEqual([]);
  expect(await first.settled()).toEqual([]);
  expect(kept.members).toHaveLength(2);
});

it('G-31 a session that may have missed direct messages ends, and others do not', async () => {
  const first = await session({ shard: [0, 2] });
  const others = [await session({ shard: [1, 2] }), await session({ intents: Intent.Guilds })];
  server.app.bus.lose(topics.user(bot.id));
  expect((await first.closed).code).toBe(4902);
  for (const other of others) expect(await other.settled()).toEqual([]);
  const again = await GatewayClient.open(server.origin);
  clients.push(again);
  const { d } = first.frames.find(({ t }) => t === 'READY') ?? {};
  again.send(6, { token, session_id: d.session_id, seq: first.sequence });
  expect((await again.op(9)).d).toBe(false);
});

it('G-49 a failed catch-up is tried again', async () => {
  const client = await session();
  const guild = addGuild(server.app, home, 'Missed', bot);
  const asked = new Promise<void>((resolve) => {
    const pagesOfGuildIds = () => {
      resolve();
      throw new Error('not now');
    };
    Object.assign(home, { pagesOfGuildIds });
  });
  server.app.bus.lose(topics.application(bot.id));
  await asked;
  expect(await client.settled()).toEqual([]);
  Reflect.deleteProperty(home, 'pagesOfGuildIds');
  clock.advance(29_000);
  expect(await client.settled()).toEqual([]);
  clock.advance(1_000);
  expect((await client.event('GUILD_CREATE')).d.id).toBe(String(guild.id));
});

it.each([
  ['of the cloud', () => server.app],
  ['on a box', () => ({ ...server.app, nextId: boxSnowflakes(clock, ID_SPACES.first) })],
])('G-49 a catch-up of a guild %s is not started a second time', async (_where, app) => {
  const client = await session();
  addGuild(app(), home, 'Missed', bot);
  let asked = 0;
  let passes = 0;
  const unanswered = () => {
    asked += 1;
    return new Promise(() => {});
  };
  const counted = (userId: bigint) => {
    passes += 1;
    return MemoryHome.prototype.pagesOfGuildIds.call(home, userId);
  };
  Object.assign(home, { member: unanswered, pagesOfGuildIds: counted });
  for (let pass = 1; pass <= 3; pass += 1) {
    clock.advance(30_000);
    await expect.poll(() => passes).toBe(pass);
    await expect.poll(() => asked).toBeGreaterThan(0);
    expect(await client.settled()).toEqual([]);
  }
  expect(asked).toBe(1);
  for (const name of ['member', 'pagesOfGuildIds']) Reflect.deleteProperty(home, name);
});

it("G-30 a bot's new sessions are supervised like its first ones, also after all sessions were gone", async () => {
  const first = await session();
  await first.close();
  clock.advance(60_000);
  const again = await session();
  const guild = addGuild(server.app, home, 'Joined', bot);
  server.app.publish({ type: 'GUILD_JOINED', guildId: guild.id, userId: bot.id });
  expect((await again.event('GUILD_CREATE')).d.id).toBe(String(guild.id));
  await server.app.db.writer.application.update({ where: { id: bot.id }, data: { messageContentIntent: false } });
  clock.advance(30_000);
  expect((await again.closed).code).toBe(4014);
});

it('G-40 a request looks up at most 100 ids, each once', async () => {
  const guild = addGuild(server.app, home, 'Many', bot, nobodysRow(server.app, 'anna'));
  const client = await session();
  const ids = Array.from({ length: 101 }, (_, index) => String(index + 1));
  client.send(8, { guild_id: String(guild.id), user_ids: ['1', ...ids], presences: true });
  const { d } = await client.event('GUILD_MEMBERS_CHUNK');
  expect([d.members, d.not_found, d.presences]).toEqual([[], ids.slice(0, 100), []]);
  client.send(8, { guild_id: String(guild.id), user_ids: [String(bot.id)] });
  expect((await client.event('GUILD_MEMBERS_CHUNK')).d).not.toHaveProperty('presences');
});

it.each([
  [undefined, 50, false],
  [undefined, 51, true],
  [10, 50, false],
  [10, 51, true],
  [100, 100, false],
  [100, 101, true],
  [300, 250, false],
  [300, 251, true],
])('G-22 large_threshold %s is taken as 50 to 250: a guild of %i is large: %s', async (wished, count, large) => {
  const guild = addGuild(server.app, home, 'Crowd', bot);
  guild.snapshot.memberCount = count;
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  client.identify(token, wished === undefined ? {} : { large_threshold: wished });
  expect((await client.event('GUILD_CREATE')).d.large).toBe(large);
});
