import { GatewayIntentBits } from 'discord-api-types/v10';
import { type GatewayClients, startGatewayClients } from '../gateway-clients/index.js';
import { Load, type RequestSpec } from '../load.js';
import { type MeasuredServer, startBareSockets, startPlatform } from '../processes.js';
import { type Row, rowOf, rowOfPairs } from '../report.js';
import { type Contestant, compare, IS_CHECK, ROUNDS, spread } from '../rounds.js';
import { createWorld, type World } from '../world.js';

const SESSIONS = 500;
const IDLE_SESSIONS = 1_000;
const FIRST_SESSIONS = 50;
const MANY_SESSIONS = IS_CHECK ? 1_000 : 10_000;
/** Of the guild with many sessions. */
const STEADY = { count: IS_CHECK ? 20 : 200, perSecond: 10 };
const MESSAGES_PER_ROUND = 100;
const INTENTS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.GuildMessageTyping |
  GatewayIntentBits.MessageContent;
const JSON_BODY = { 'content-type': 'application/json' };
const CONTENT = 'The tide is in, the causeway is shut, and the ferry leaves at noon.';

/** A server with its clients, and the request that makes it send one event to all of them. */
interface Side {
  server: MeasuredServer;
  clients: GatewayClients;
  url: string;
  event: RequestSpec;
}

let sharedWorld: Promise<World> | undefined;

function guildOfBots(): Promise<World> {
  sharedWorld ??= createWorld({ channels: 1, messagesPerChannel: 0, bots: SESSIONS });
  return sharedWorld;
}

function identifies({ botTokens }: World, count = SESSIONS): string[] {
  return Array.from({ length: count }, (_, index) => {
    const token = botTokens[index % botTokens.length];
    const properties = { os: 'linux', browser: 'bench', device: 'bench' };
    return JSON.stringify({ op: 2, d: { token, intents: INTENTS, properties } });
  });
}

async function platformSide(world: World): Promise<Side> {
  const server = await startPlatform(world.dataDir);
  return {
    server,
    clients: startGatewayClients(),
    url: `${server.origin}/gateway?v=10&encoding=json`,
    event: channelRequest(server, world, 'messages', { content: CONTENT }),
  };
}

/** The bare server, with the same bytes as the platform. */
async function bareSide(world: World, platform: Side): Promise<Side> {
  const { clients, url, event } = platform;
  const { messages = [] } = await clients.run({ task: 'capture', url, identifies: identifies(world, 1), event });
  await clients.run({ task: 'close' });
  const server = await startBareSockets();
  const load = new Load(1);
  const answers = JSON.stringify(messages.slice(0, -1));
  await load.once({ method: 'POST', url: `${server.origin}/answers`, body: answers });
  load.close();
  return {
    server,
    clients: startGatewayClients(),
    url: server.origin,
    event: { method: 'POST', url: `${server.origin}/broadcast`, body: messages.at(-1) ?? '' },
  };
}

async function bothSides(world: World): Promise<[Side, Side]> {
  const platform = await platformSide(world);
  return [platform, await bareSide(world, platform)];
}

async function stopSides(sides: Side[]): Promise<void> {
  for (const { clients, server } of sides) {
    await clients.stop();
    await server.stop();
  }
}

function channelRequest(
  { origin }: MeasuredServer,
  { channelIds: [channelId], botTokens: [token] }: World,
  action: string,
  body: object,
): RequestSpec {
  return {
    method: 'POST',
    url: `${origin}/api/v10/channels/${channelId}/${action}`,
    headers: { ...JSON_BODY, authorization: `Bot ${token}` },
    body: JSON.stringify(body),
  };
}

/**
 * One message to 500 sessions with different sequence numbers. It is measured twice: from the first session's receipt
 * to the last one's, and from the post of the message, including permissions, row and event. The baseline is a bare ws
 * server with the same bytes.
 */
export async function fanOut(): Promise<Row[]> {
  const world = await guildOfBots();
  const [platform, bare] = await bothSides(world);
  const all = identifies(world);
  const typing = channelRequest(platform.server, world, 'typing', {});
  await platform.clients.run({ task: 'identifyStaggered', url: platform.url, identifies: all, event: typing });
  await bare.clients.run({ task: 'identify', url: bare.url, identifies: all });
  const contestant = ({ server, clients, event }: Side): Contestant => ({
    server,
    async round() {
      const task = await clients.run({ task: 'fanOut', event, count: MESSAGES_PER_ROUND });
      const operations = SESSIONS * MESSAGES_PER_ROUND;
      const { seconds, spreadingSeconds = seconds } = task;
      return { operations, rates: [operations / spreadingSeconds, operations / seconds] };
    },
  });
  const comparisons = await compare(contestant(platform), contestant(bare), ROUNDS);
  await stopSides([platform, bare]);
  const names: [string, string][] = [
    [`fan-out to ${SESSIONS} sessions, first to last receipt`, '≥ 0.8'],
    [`fan-out to ${SESSIONS} sessions, post to last receipt`, ''],
  ];
  return comparisons.flatMap((comparison, figure) => {
    const [name, aim] = names[figure] ?? [];
    return name === undefined ? [] : [rowOf(name, 'receipts/s', aim ?? '', comparison)];
  });
}

/** 500 sessions identify together. The baseline is a bare ws server with prepared READY and GUILD_CREATE payloads. */
export async function identifyToReady(): Promise<Row[]> {
  const world = await guildOfBots();
  const [platform, bare] = await bothSides(world);
  const all = identifies(world);
  const contestant = ({ server, clients, url }: Side): Contestant => ({
    server,
    async round() {
      const { seconds } = await clients.run({ task: 'identify', url, identifies: all });
      await clients.run({ task: 'close' });
      return { operations: SESSIONS, rates: [SESSIONS / seconds] };
    },
  });
  const comparisons = await compare(contestant(platform), contestant(bare), ROUNDS);
  await stopSides([platform, bare]);
  return comparisons.map((comparison) => rowOf(`IDENTIFY to READY, ${SESSIONS} at once`, 'sessions/s', '', comparison));
}

/**
 * Growth of a server's heap and buffers by 1,000 idle sessions of 500 bots, after a garbage collection. The baseline is
 * a bare ws server with as many sockets. The resident set is also printed, but varies too much for a comparison.
 */
export async function idleSessions(): Promise<Row[]> {
  const world = await guildOfBots();
  const [platform, bare] = await bothSides(world);
  const compressed = await platformSide(world);
  compressed.url += '&compress=zlib-stream';
  const baseline = await kibibytesPerSession(bare, world);
  const rows: Row[] = [];
  for (const [kind, side] of [
    ['', platform],
    [', zlib-stream', compressed],
  ] as const) {
    const subject = await kibibytesPerSession(side, world);
    rows.push({
      name: `memory of an idle session${kind}`,
      unit: 'KiB',
      subject,
      baseline,
      ratio: spread([subject / baseline]),
      aim: '< 40 KiB',
    });
  }
  await stopSides([platform, bare, compressed]);
  return rows;
}

/** Measured with other sessions present, so that one-time allocations are not counted. */
async function kibibytesPerSession({ server, clients, url }: Side, world: World): Promise<number> {
  const ofFirstBot = identifies({ ...world, botTokens: world.botTokens.slice(0, 1) }, FIRST_SESSIONS);
  await clients.run({ task: 'identify', url, identifies: ofFirstBot });
  const before = await server.memory();
  await clients.run({ task: 'identify', url, identifies: identifies(world, IDLE_SESSIONS) });
  const after = await server.memory();
  const grown = (part: 'rss' | 'heapUsed' | 'external') => (after[part] - before[part]) / 1_024 / IDLE_SESSIONS;
  const parts = { heap: grown('heapUsed'), buffers: grown('external'), 'resident set': grown('rss') };
  const text = Object.entries(parts).map(([name, value]) => `${name} ${value.toFixed(1)}`);
  console.log(`${url}: ${text.join(', ')} KiB per session`);
  await clients.run({ task: 'close' });
  return parts.heap + parts.buffers;
}

/**
 * 10,000 sessions of 500 bots in one guild (in a check: 1,000). They connect at once, and the measurement fails if one is
 * dropped. Memory is compared with that before, two heartbeats after READY, when events are acknowledged. Then the guild
 * gets 10 messages a second, while sessions send heartbeats.
 */
export async function manySessions(): Promise<Row[]> {
  const world = await guildOfBots();
  const [platform, bare] = await bothSides(world);
  const theirs = await withManySessions(bare, world);
  const ours = await withManySessions(platform, world);
  await stopSides([platform, bare]);
  const row = (name: string, unit: string, aim: string, figure: keyof typeof ours) =>
    rowOfPairs(name, unit, aim, [[ours[figure], theirs[figure]]]);
  return [
    row('storm of connects', 'sessions/s', '', 'rate'),
    row('memory of one of many sessions, acknowledged', 'KiB', '≤ 13 KiB', 'memory'),
    row('resident set of one of many sessions', 'KiB', '', 'resident'),
    row('heartbeat during 10 messages/s to all, p50', 'ms', '', 'p50'),
    row('heartbeat during 10 messages/s to all, p99', 'ms', '≤ 200 ms', 'p99'),
    row('longest block of the event loop during this', 'ms', '', 'blocked'),
  ];
}

async function withManySessions({ server, clients, url, event }: Side, world: World) {
  await clients.run({ task: 'identify', url, identifies: identifies(world, FIRST_SESSIONS) });
  await clients.run({ task: 'close' });
  const before = await server.memory();
  const { seconds } = await clients.run({ task: 'storm', url, identifies: identifies(world, MANY_SESSIONS) });
  await clients.run({ task: 'beat', count: 2 });
  const after = await server.memory();
  const grown = (part: 'rss' | 'heapUsed' | 'external') => (after[part] - before[part]) / 1_024 / MANY_SESSIONS;
  await server.watchLoop();
  const { roundTripMs: { p50, p99 } = { p50: Number.NaN, p99: Number.NaN } } = await clients.run({
    task: 'steady',
    event,
    ...STEADY,
  });
  const blocked = await server.longestBlockMs();
  await clients.run({ task: 'close' });
  const memory = grown('heapUsed') + grown('external');
  return { rate: MANY_SESSIONS / seconds, memory, resident: grown('rss'), p50, p99, blocked };
}
