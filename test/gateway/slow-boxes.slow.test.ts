import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.js';
import { BOX_PATIENCE_MS } from '../../src/gateway/protocol.js';
import { topics } from '../../src/infra/streams/topics.js';
import { ManualClock } from '../harness/clock.js';
import { type Frame, GatewayClient } from '../harness/gateway-client.js';
import {
  type Announced,
  announce,
  connectNewBox,
  guildOf,
  type HandBox,
  putInstallation,
} from '../harness/hand-box.js';
import type { RawMessage } from '../harness/raw-relay.js';
import { startServer, type TestServer } from '../harness/server.js';
import { addMember, createBot, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

let server: TestServer;
let clock: ManualClock;
let box: HandBox;
let bot: TestBot;
const clients: GatewayClient[] = [];
const boxes: HandBox[] = [];

beforeEach(async () => {
  clock = new ManualClock();
  server = await startServer({ clock });
  box = await connectBox();
  bot = await createBot(server.app);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const { relay } of boxes.splice(0)) relay.cut();
  await server.stop();
});

async function connectBox(): Promise<HandBox> {
  const made = await connectNewBox(server);
  boxes.push(made);
  return made;
}

function answerTo({ name, input }: RawMessage, guilds: readonly Announced[], facts: object = {}): unknown {
  const guild = guilds.find(({ id }) => id === input.guild_id);
  if (!guild) return null;
  const user = { id: input.user_id, username: 'bot', bot: true };
  if (name === 'member') return { user, roles: [], joined_at: '2024-01-01T00:00:00.000Z' };
  if (name !== 'guild') return [];
  const { id, owner_id, channels } = guild;
  const everyone = { id, name: '@everyone', permissions: '1024', position: 0 };
  const text = { id: channels[0], type: 0, name: 'general' };
  return { id, name: 'Den', owner_id, roles: [everyone], channels: [text], member_count: 2, ...facts };
}

/** Lets the box answer calls for which `answers` returns a value. */
function serve({ relay }: Pick<HandBox, 'relay'>, answers: (call: RawMessage) => unknown): void {
  const hear = (call: RawMessage) => {
    const answer = call.op === 'call' ? answers(call) : undefined;
    if (answer !== undefined) reply({ relay }, call, answer);
  };
  relay.socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) hear(JSON.parse(data.toString()) as RawMessage);
  });
}

function reply({ relay }: Pick<HandBox, 'relay'>, call: RawMessage, answer: unknown): void {
  const body = JSON.stringify(answer);
  relay.send({ op: 'response', id: call.id, status: 200, headers: {}, body: Buffer.byteLength(body) });
  relay.sendBody(call.id, body);
}

function heard({ id }: Announced, type: string): Promise<void> {
  return new Promise((resolve) => {
    server.app.bus.subscribe(topics.guild(BigInt(id)), (message) => message.type === type && resolve());
  });
}

async function guildsOnBox(count: number): Promise<Announced[]> {
  const guilds = Array.from({ length: count }, () => guildOf(box, [bot.id]));
  await announce(box, guilds);
  for (const { id } of guilds) await putInstallation(server, bot, id);
  return guilds;
}

async function nearGuild(): Promise<TestGuild> {
  const guild = await createGuild(server.app);
  await addMember(server.app, guild.id, bot.user);
  return guild;
}

async function login(more: object = {}, as = bot): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  client.identify(as.token, { intents: Intent.Guilds, ...more });
  await client.event('READY');
  return client;
}

const callsOf = ({ relay }: HandBox, name: string) =>
  relay.messages.filter((message) => message.op === 'call' && message.name === name);

describe('G-21: a box that does not answer', () => {
  it('delays no guilds of the cloud or of another box, and its own become unavailable soon', async () => {
    const frozen = await guildsOnBox(3);
    const near = await nearGuild();
    const other = await connectBox();
    const there = guildOf(other, [bot.id]);
    serve(other, (call) => answerTo(call, [there]));
    await announce(other, [there]);
    await putInstallation(server, bot, there.id);

    const client = await login();
    const shown = [await client.event('GUILD_CREATE'), await client.event('GUILD_CREATE')];
    expect(shown.map(({ d }) => d.id).sort()).toEqual([String(near.id), there.id].sort());
    expect(await client.settled()).toEqual([]);
    clock.advance(BOX_PATIENCE_MS);
    const told = [await client.next(), await client.next(), await client.next()];
    expect(told.map(({ t, d }) => [t, d])).toEqual(frozen.map(({ id }) => ['GUILD_DELETE', { id, unavailable: true }]));
  });

  it('delays events of other guilds no longer than that', async () => {
    await guildsOnBox(3);
    const client = await login();
    const near = await nearGuild();
    server.app.publish({ type: 'GUILD_JOINED', guildId: near.id, userId: bot.id });
    expect(await client.settled()).toEqual([]);
    clock.advance(BOX_PATIENCE_MS);
    expect((await client.event('GUILD_CREATE')).d.id).toBe(String(near.id));
  });

  it('has its guild shown with all events since, once it answers', async () => {
    const calls: RawMessage[] = [];
    let guilds: Announced[] | null = null;
    serve(box, (call) => (guilds ? answerTo(call, guilds) : void calls.push(call)));
    const [guild] = (await guildsOnBox(1)) as [Announced];
    const client = await login();
    await expect.poll(() => calls.length).toBe(2);
    clock.advance(BOX_PATIENCE_MS);
    expect((await client.event('GUILD_DELETE')).d).toEqual({ id: guild.id, unavailable: true });
    const d = { guild_id: guild.id, role_id: String(box.nextId()) };
    box.relay.send({ op: 'dispatch', s: 3, t: 'GUILD_ROLE_DELETE', d });
    await heard(guild, 'GUILD_ROLE_DELETE');
    guilds = [guild];
    for (const call of calls) reply(box, call, answerTo(call, guilds));
    const frames = [await client.next(), await client.next()];
    expect(frames.map((frame: Frame) => frame.t)).toEqual(['GUILD_CREATE', 'GUILD_ROLE_DELETE']);
  });
});

describe('many guilds on a box, and many bots', () => {
  it('are all shown after the box starts, with few calls at a time and one call for each guild', async () => {
    const bots = [bot];
    while (bots.length < 7) bots.push(await createBot(server.app));
    const guilds = Array.from({ length: 40 }, () =>
      guildOf(
        box,
        bots.map(({ id }) => id),
      ),
    );
    for (const { id } of guilds) for (const one of bots) await putInstallation(server, one, id);
    const sessions = await Promise.all(bots.map((one) => login({}, one)));

    const held: RawMessage[] = [];
    let isHolding = true;
    serve(box, (call) => (isHolding ? void held.push(call) : answerTo(call, guilds)));
    await announce(box, guilds);
    await expect.poll(() => held.length).toBeGreaterThan(0);
    expect(await sessions[0]?.settled()).toEqual([]);
    expect(held.length).toBeLessThanOrEqual(64);
    isHolding = false;
    for (const call of held) reply(box, call, answerTo(call, guilds));
    for (const client of sessions) {
      for (const _ of guilds)
        expect((await client.next(({ t }) => t?.startsWith('GUILD_') === true)).t).toBe('GUILD_CREATE');
    }
    expect(callsOf(box, 'guild')).toHaveLength(guilds.length);
  });
});

describe('a box with a guild that is too large', () => {
  it('delays no session: the guild is unavailable', async () => {
    const guilds: Announced[] = [];
    const topic = '€'.repeat(limits.channelTopic);
    const channels = Array.from({ length: limits.channelsPerGuild }, () => ({ type: 0, name: 'full', topic }));
    const large = () => ({ channels: channels.map((channel) => ({ ...channel, id: String(box.nextId()) })), filler });
    const filler = 'x'.repeat(1_000_000);
    serve(box, (call) => answerTo(call, guilds, large()));
    const near = await nearGuild();
    guilds.push(...(await guildsOnBox(1)));
    const client = await login();
    const told = [await client.next(), await client.next()];
    expect(new Map(told.map(({ t, d }) => [t, d.id]))).toEqual(
      new Map([
        ['GUILD_CREATE', String(near.id)],
        ['GUILD_DELETE', guilds[0]?.id],
      ]),
    );
    expect(await client.settled()).toEqual([]);
  });
});

describe('G-40: members of a guild on a box', () => {
  const all = (client: GatewayClient, { id }: { id: bigint | string }) =>
    client.send(8, { guild_id: String(id), query: '', limit: 0, nonce: String(id) });
  const chunk = async (client: GatewayClient) => (await client.event('GUILD_MEMBERS_CHUNK')).d;

  /** A session with a guild on the box. The box reports this member count and these pages of members. */
  async function asking(
    member_count: number,
    pages: (call: RawMessage) => unknown,
  ): Promise<[GatewayClient, Announced]> {
    const guilds: Announced[] = [];
    serve(box, (call) => (call.name === 'members' ? pages(call) : answerTo(call, guilds, { member_count })));
    const [guild] = (await guildsOnBox(1)) as [Announced];
    guilds.push(guild);
    const client = await login({ intents: Intent.Guilds | Intent.GuildMembers });
    return [client, guild];
  }

  it('are requested in parallel with those of other guilds, which wait for no box', async () => {
    const near = await nearGuild();
    const [client, guild] = await asking(5, () => undefined);
    for (const _of of [near, guild]) await client.event('GUILD_CREATE');
    all(client, guild);
    await expect.poll(() => callsOf(box, 'members').length).toBe(1);
    all(client, near);
    expect((await chunk(client)).nonce).toBe(String(near.id));
  });

  it('end with the first page that is not full, whatever member count the box reports', async () => {
    const member = () => ({
      user: { id: String(box.nextId()), username: 'one' },
      roles: [],
      joined_at: '2024-01-01T00:00:00.000Z',
    });
    const full = Array.from({ length: 1_000 }, member);
    const [client, guild] = await asking(2 ** 31 - 1, ({ input }) => (input.after === undefined ? full : [member()]));
    await client.event('GUILD_CREATE');
    all(client, guild);
    const first = await chunk(client);
    expect([first.chunk_index, first.members.length]).toEqual([0, 1_000]);
    expect(first.chunk_count).toBeLessThanOrEqual(1_000);
    const last = await chunk(client);
    expect([last.chunk_index, last.chunk_count, last.members.length]).toEqual([1, 2, 1]);
    expect(await client.settled()).toEqual([]);
  });
});
