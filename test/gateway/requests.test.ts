import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { shardOfGuild } from '../../src/gateway/protocol.js';
import { ManualClock } from '../harness/clock.js';
import { it } from '../harness/fixtures.js';
import { ALL_INTENTS, type Frame, GatewayClient } from '../harness/gateway-client.js';
import { addCrowd, createPerson, nameMember } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { addMember, createBot, createBotInGuild, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;
let client: GatewayClient;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ({ bot, guild } = await createBotInGuild(server.app));
  await addMember(server.app, guild.id, await createPerson(server.app, 'anna'));
  const anton = await createPerson(server.app, 'anton');
  await addMember(server.app, guild.id, anton);
  await nameMember(server.app, guild.id, anton, 'Bert');
  client = await session();
});
afterAll(async () => {
  await client.close();
});

async function session(intents = ALL_INTENTS): Promise<GatewayClient> {
  const opened = await GatewayClient.open(server.origin);
  await opened.ready(bot.token, { intents });
  return opened;
}

async function closeAfter(op: number, d: unknown): Promise<number> {
  const opened = await session(Intent.Guilds);
  opened.send(op, d);
  return (await opened.closed).code;
}

async function ask(d: object, of = client): Promise<Frame['d']> {
  of.send(8, { guild_id: String(guild.id), ...d });
  return (await of.event('GUILD_MEMBERS_CHUNK')).d;
}

const names = (chunk: Frame['d']) =>
  chunk.members.map((member: { user: { username: string } }) => member.user.username).sort();

describe('G-39 presence', () => {
  it('G-39 is accepted and not shown to other users', async () => {
    client.send(3, { since: null, status: 'dnd', afk: false, activities: [{ name: 'chess', type: 0 }] });
    expect(await client.settled()).toEqual([]);
  });

  it.each([
    [{}],
    [{ since: null, activities: null, status: null, afk: null }],
    [{ since: 0, activities: [], status: '', afk: false }],
    [{ since: 91_879_201.5, activities: [{ name: 'chess' }], status: 'idle' }],
    [{ activities: [{ name: null, type: null, emoji: { name: '👍' } }], status: 'invisible' }],
    [{ status: 'offline', activities: [{ name: 'Custom Status', type: 4, state: 'here' }] }],
  ])('G-39 accepts what libraries send: %j', async (presence) => {
    client.send(3, presence);
    expect(await client.settled()).toEqual([]);
    const other = await GatewayClient.open(server.origin);
    await other.ready(bot.token, { presence });
    await other.close();
  });

  it.each([
    { status: 'away' },
    { activities: [{ name: 7, type: 0 }] },
    { activities: [{ name: 'chess', type: '0' }] },
    { since: 'now' },
    { afk: 1 },
    null,
    [],
  ])('G-39 closes 4002 for %j', async (d) => {
    expect(await closeAfter(3, d)).toBe(4002);
  });
});

describe('G-40 members on request', () => {
  it('G-40 gives the whole list with the members intent', async () => {
    const chunk = await ask({ query: '', limit: 0, nonce: 'n'.repeat(32), presences: true });
    expect(names(chunk)).toEqual([bot.user.username, guild.owner.username, 'anna', 'anton'].sort());
    expect(chunk).toMatchObject({
      guild_id: String(guild.id),
      chunk_index: 0,
      chunk_count: 1,
      nonce: 'n'.repeat(32),
      presences: [{ user: { id: String(bot.id) }, client_status: {} }],
    });
    expect(chunk).not.toHaveProperty('not_found');
  });

  it("G-40 gives the bot's own member without the members intent", async () => {
    const without = await session(Intent.Guilds);
    const chunk = await ask({ query: '', limit: 0, presences: true }, without);
    expect(names(chunk)).toEqual([bot.user.username]);
    expect(chunk).not.toHaveProperty('presences');
    await without.close();
  });

  it('G-40 searches usernames and nicknames by prefix', async () => {
    expect(names(await ask({ query: 'an', limit: 10 }))).toEqual(['anna', 'anton']);
    expect(names(await ask({ query: 'An', limit: 1 }))).toEqual(['anna']);
    expect(names(await ask({ query: 'Bert', limit: 0 }))).toEqual(['anton']);
    expect(names(await ask({ query: '%', limit: 0 }))).toEqual([]);
  });

  it('G-40 lists ids of unknown users in not_found', async () => {
    const chunk = await ask({ user_ids: [String(bot.id), '42', 'x', '99999999999999999999'] });
    expect(names(chunk)).toEqual([bot.user.username]);
    expect(chunk.not_found).toEqual(['42', 'x', '99999999999999999999']);
    expect(names(await ask({ user_ids: String(guild.owner.id) }))).toEqual([guild.owner.username]);
  });

  it.each([['n'.repeat(33)], ['é'.repeat(17)], [7], ['']])('G-40 ignores the nonce %j', async (nonce) => {
    expect(await ask({ user_ids: [], nonce })).not.toHaveProperty('nonce');
  });

  it('G-40 answers for a guild that the session does not have with an empty chunk', async () => {
    const other = await createGuild(server.app);
    const chunk = await ask({ guild_id: String(other.id), user_ids: [String(other.owner.id)] });
    expect(chunk).toMatchObject({ guild_id: String(other.id), members: [], not_found: [String(other.owner.id)] });
  });

  it('G-40 sends at most 1,000 members per chunk and 100 per search, and no member twice', {
    tags: ['slow'],
  }, async () => {
    const crowd = await createGuild(server.app, 'Crowd');
    await addMember(server.app, crowd.id, bot.user);
    await client.event('GUILD_CREATE');
    await addCrowd(server.app, crowd.id, 2_300);
    const opened = await session();
    const guildId = { guild_id: String(crowd.id) };
    expect((await ask({ ...guildId, query: 'crowd', limit: 500 }, opened)).members).toHaveLength(100);
    opened.send(8, { ...guildId, query: '', limit: 0 });
    opened.send(8, { ...guildId, user_ids: [] });
    const seen = new Set<string>();
    for (const size of [1_000, 1_000, 302]) {
      const { d } = await opened.event('GUILD_MEMBERS_CHUNK');
      expect([d.members.length, d.chunk_count]).toEqual([size, 3]);
      for (const member of d.members) seen.add(member.user.id);
    }
    expect(seen.size).toBe(2_302);
    expect((await opened.event('GUILD_MEMBERS_CHUNK')).d.members).toEqual([]);
    await opened.close();
  });

  it.each([
    [{}],
    [{ query: 7, limit: 0 }],
    [{ query: '', limit: -1 }],
    [{ query: '', limit: '1' }],
    [{ user_ids: [{}] }],
    [{ guild_id: 'x', query: '' }],
    [{ guild_id: null, query: '' }],
    [{ query: '', presences: 'yes' }],
  ])('G-40 closes 4002 for %j', async (d) => {
    expect(await closeAfter(8, { guild_id: String(guild.id), ...d })).toBe(4002);
  });
});

describe('G-40 with rate limits', () => {
  let limited: TestServer;
  let asking: TestBot;
  let asked: TestGuild;
  const clients: GatewayClient[] = [];

  beforeAll(async () => {
    limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    ({ bot: asking, guild: asked } = await createBotInGuild(limited.app));
  });
  afterAll(async () => {
    for (const opened of clients) await opened.close();
    await limited.stop();
  });

  async function sessionOf({ token }: TestBot, more: object = {}): Promise<GatewayClient> {
    const opened = await GatewayClient.open(limited.origin);
    clients.push(opened);
    await opened.ready(token, more);
    return opened;
  }

  async function answerTo(of: GatewayClient, d: object, { id } = asked): Promise<Frame> {
    of.send(8, { guild_id: String(id), ...d });
    return of.next(({ op }) => op === 0);
  }

  /** A shard that has the guild, and identifies in another bucket than a session without shards. */
  function shardFor({ id }: TestGuild): [id: number, count: number] {
    const count = [2, 3, 5, 7, 11, 13].find((each) => shardOfGuild(id, each) > 0)!;
    return [shardOfGuild(id, count), count];
  }

  it('G-40 sends all members once in 30 s per bot and guild, and answers further requests with RATE_LIMITED', async () => {
    const all = { query: '', limit: 0, nonce: 'all' };
    const another = await createGuild(limited.app);
    await addMember(limited.app, another.id, asking.user);
    const first = await sessionOf(asking);
    expect(await answerTo(first, all)).toMatchObject({ t: 'GUILD_MEMBERS_CHUNK', d: { nonce: 'all' } });
    const { t, d } = await answerTo(first, all);
    const meta = { guild_id: String(asked.id), nonce: 'all' };
    expect({ t, d }).toEqual({ t: 'RATE_LIMITED', d: { opcode: 8, retry_after: expect.any(Number), meta } });
    expect(d.retry_after).toBeGreaterThan(15);
    expect(d.retry_after).toBeLessThanOrEqual(30);

    const second = await sessionOf(asking, { shard: shardFor(asked) });
    expect((await answerTo(second, { query: '' })).d.meta).toEqual({ guild_id: String(asked.id) });
    expect((await answerTo(first, all, another)).t).toBe('GUILD_MEMBERS_CHUNK');
    expect((await answerTo(await sessionOf(await createMemberBot()), all)).t).toBe('GUILD_MEMBERS_CHUNK');
  });

  it.each([
    ['a search', { query: 'a', limit: 0 }, ALL_INTENTS],
    ['a list of ids', { user_ids: ['42'] }, ALL_INTENTS],
    ['a part of the members', { query: '', limit: 1 }, ALL_INTENTS],
    ["the bot's own member", { query: '', limit: 0 }, Intent.Guilds],
  ])('G-40 does not limit requests for %s', async (_what, d, intents) => {
    const opened = await sessionOf(await createMemberBot(), { intents });
    for (let count = 0; count < 3; count += 1) expect((await answerTo(opened, d)).t).toBe('GUILD_MEMBERS_CHUNK');
  });

  async function createMemberBot(): Promise<TestBot> {
    const created = await createBot(limited.app);
    await addMember(limited.app, asked.id, created.user);
    return created;
  }
});

it('G-40 too many waiting requests of a session close 4008', async () => {
  const clock = new ManualClock();
  const slow = await startServer({ clock });
  const asking = await createBot(slow.app);
  const asked = await createGuild(slow.app);
  await addMember(slow.app, asked.id, asking.user);
  const impatient = await GatewayClient.open(slow.origin);
  await impatient.ready(asking.token);
  const { reader } = slow.app.db;
  const { member } = reader;
  let open = () => {};
  const opened = new Promise<never[]>((resolve) => {
    open = () => resolve([]);
  });
  Object.assign(reader, { member: { findMany: () => opened } });
  // One request is served and 240 wait. No minute has more than the allowed 120 payloads.
  for (const count of [119, 119, 3]) {
    clock.advance(60_000);
    for (let sent = 0; sent < count; sent += 1) impatient.send(8, { guild_id: String(asked.id), user_ids: ['42'] });
    impatient.send(1, null);
    await impatient.op(11);
  }
  impatient.send(8, { guild_id: String(asked.id), user_ids: ['42'] });
  expect((await impatient.closed).code).toBe(4008);
  open();
  Object.assign(reader, { member });
  await slow.stop();
});

it('G-41 a voice state is validated, and leaving without being connected has no answer', async () => {
  client.send(4, { guild_id: String(guild.id), channel_id: null, self_mute: false, self_deaf: false });
  expect(await client.settled()).toEqual([]);
  expect(await closeAfter(4, { guild_id: String(guild.id), channel_id: null, self_mute: 'no' })).toBe(4002);
});

it('G-42 soundboard sounds and channel info are empty, for guilds that the session has', async () => {
  client.send(31, { guild_ids: [String(guild.id), '42'] });
  client.send(43, { guild_id: String(guild.id), fields: ['status'] });
  client.send(43, { guild_id: '42', fields: ['status'] });
  const guild_id = String(guild.id);
  expect((await client.settled()).map(({ t, d }) => ({ t, d }))).toEqual([
    { t: 'SOUNDBOARD_SOUNDS', d: { guild_id, soundboard_sounds: [] } },
    { t: 'CHANNEL_INFO', d: { guild_id, channels: [] } },
  ]);
  expect(await closeAfter(31, { guild_ids: 'x' })).toBe(4002);
  expect(await closeAfter(43, { guild_id: [], fields: [] })).toBe(4002);
});
