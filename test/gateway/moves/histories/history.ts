import { setTimeout } from 'node:timers/promises';
import { GatewayIntentBits, OverwriteType } from 'discord-api-types/v10';
import { installApplication } from '../../../../src/domain/installations/index.js';
import { ALL_PERMISSIONS, Permission } from '../../../../src/domain/permissions.js';
import { breakConnection, type ClientBot } from '../../../conversation/caches/cast.js';
import { Random } from '../../../conversation/caches/random.js';
import { ALL_INTENTS } from '../../../harness/gateway-client.js';
import { eventually } from '../../../harness/jobs.js';
import { ask, type RestAnswer } from '../../../harness/rest.js';
import { callOf, createBot, createChannel, createGuild, type TestBot, type TestGuild } from '../../../harness/world.js';
import { checkSession, type SessionRecord, type Truth } from './check.js';
import type { Host, Hosts } from './hosts.js';
import { Journal, type Span } from './journal.js';
import { cacheFaults, hasNewest, openLibrary } from './library.js';
import { RoamingClient } from './session.js';

/** Disturbances of one history. */
const STEPS = 7;

/** Between two of them, in milliseconds. */
const PAUSE_MS = { least: 20, most: 250 };

const WRITERS = 3;

const WITHOUT_DIRECT_MESSAGES =
  ALL_INTENTS & ~(GatewayIntentBits.DirectMessages | GatewayIntentBits.DirectMessageReactions);

export interface Outcome {
  faults: string[];
  messages: number;
  resumes: number;
  /** Why sessions ended. */
  endings: string[];
  gaps: number;
  missed: number;
}

interface Place {
  guild: TestGuild;
  id: string;
  /** Every bot sees it, and it is never deleted. */
  steadyId: string;
  /** It is hidden from one bot and shown again. */
  changingId: string;
  secretId: string;
  /** Channels that writers create. */
  made: string[];
}

interface World {
  hosts: Hosts;
  journal: Journal;
  places: readonly [Place, Place];
  writer: TestBot;
  limited: TestBot;
  visitor: TestBot;
  clients: RoamingClient[];
  library: ClientBot;
  isOver: boolean;
  /** Whether a process was killed or lost its Redis. */
  isLossy: boolean;
}

/** Plays a history of random writes and faults, and checks every session. */
export async function playHistory(hosts: Hosts, seed: number): Promise<Outcome> {
  const world = await openWorld(hosts, seed);
  try {
    const writing = [
      ...Array.from({ length: WRITERS }, (_, n) => writeOn(world, new Random(seed * 31 + n))),
      changeSights(world, new Random(seed * 31 + 10)),
      kickAndInvite(world, new Random(seed * 31 + 11)),
    ];
    await disturb(world, new Random(seed));
    world.isOver = true;
    await Promise.all(writing);
    const late = await settle(world);
    return await outcomeOf(world, late);
  } finally {
    world.isOver = true;
    await Promise.all([...world.clients.map((client) => client.close()), world.library.client.destroy()]);
    for (const host of hosts.both) host.bury();
  }
}

async function openWorld(hosts: Hosts, seed: number): Promise<World> {
  const app = anyServer(hosts).app;
  const [writer, steadfast, stock, limited, visitor] = await Promise.all([
    createBot(app),
    createBot(app),
    createBot(app),
    createBot(app),
    createBot(app),
  ]);
  const places = [await openPlace(hosts), await openPlace(hosts)] as const;
  for (const { guild } of places) {
    await add(hosts, guild, writer, ALL_PERMISSIONS);
    await add(hosts, guild, steadfast, Permission.Administrator);
    await add(hosts, guild, stock, Permission.Administrator);
    await add(hosts, guild, limited, 0n);
    await add(hosts, guild, visitor, 0n);
  }
  const random = new Random(seed * 31 + 20);
  const nextOrigin = () => random.of(hosts.both).origin;
  const clients = [
    new RoamingClient('steadfast', steadfast, WITHOUT_DIRECT_MESSAGES, nextOrigin),
    new RoamingClient('limited', limited, WITHOUT_DIRECT_MESSAGES, nextOrigin),
    new RoamingClient('limited with direct messages', limited, ALL_INTENTS, nextOrigin),
    new RoamingClient('visitor', visitor, WITHOUT_DIRECT_MESSAGES, nextOrigin),
  ];
  const library = await openLibrary(anyServer(hosts), hosts.front.origin, stock);
  const world = {
    hosts,
    library,
    journal: new Journal(),
    places,
    writer,
    limited,
    visitor,
    clients,
    isOver: false,
    isLossy: false,
  };
  await eventually(() => {
    for (const { name, record } of clients) {
      const shown = record?.dispatches.filter(({ t }) => t === 'GUILD_CREATE').length;
      if (shown !== places.length) throw new Error(`${name} has ${shown} guilds`);
    }
  });
  return world;
}

async function openPlace(hosts: Hosts): Promise<Place> {
  const { app } = anyServer(hosts);
  const guild = await createGuild(app);
  const [changing, secret] = [
    await createChannel(app, guild.id, 'changing'),
    await createChannel(app, guild.id, 'secret'),
  ];
  return {
    guild,
    id: String(guild.id),
    steadyId: String(guild.channel.id),
    changingId: String(changing.id),
    secretId: String(secret.id),
    made: [],
  };
}

function anyServer({ both }: Hosts) {
  const server = both.find((host) => host.server)?.server;
  if (!server) throw new Error('no process runs');
  return server;
}

async function add(hosts: Hosts, guild: TestGuild, bot: TestBot, permissions: bigint): Promise<void> {
  const { app } = anyServer(hosts);
  const input = { applicationId: bot.id, guildId: guild.id, scopes: ['bot' as const], permissions };
  await installApplication(callOf(app, guild.owner), input);
}

interface Done extends Span {
  /** Null if there was none, so that its effect is unknown. */
  answer: RestAnswer | null;
}

async function send(
  { hosts, writer }: World,
  random: Random,
  method: string,
  path: string,
  json?: object,
): Promise<Done> {
  const startedAt = performance.now();
  const headers = { authorization: `Bot ${writer.token}` };
  const answer = await ask(random.of(hosts.both), method, path, { json, headers }).catch(() => null);
  const isKnown = answer !== null && answer.status < 500;
  return {
    startedAt,
    answeredAt: isKnown ? performance.now() : Number.POSITIVE_INFINITY,
    answer: isKnown ? answer : null,
  };
}

const isDone = ({ answer }: Done) => answer === null || answer.status < 300;

type Write = (world: World, random: Random, place: Place) => Promise<void>;

let contents = 0;

async function sendMessage(world: World, random: Random, place: Place, channelId: string): Promise<string | null> {
  contents += 1;
  const content = `#${contents}`;
  const done = await send(world, random, 'POST', `/channels/${channelId}/messages`, { content });
  const { startedAt, answeredAt } = done;
  const id: string | null = done.answer?.body.id ?? null;
  if (isDone(done)) world.journal.sent.push({ startedAt, answeredAt, guildId: place.id, channelId, content, id });
  return id;
}

const channelsOf = ({ steadyId, changingId, secretId, made }: Place) => [steadyId, changingId, secretId, ...made];

function knownMessage({ journal }: World, random: Random, { id }: Place) {
  return random.orNull(journal.sent.slice(-20).filter((sent) => sent.guildId === id && sent.id !== null));
}

const WRITES: { weight: number; write: Write }[] = [
  {
    weight: 60,
    write: async (world, random, place) => {
      await sendMessage(world, random, place, random.of(channelsOf(place)));
    },
  },
  {
    weight: 8,
    write: async (world, random, place) => {
      const sent = knownMessage(world, random, place);
      if (!sent) return;
      // The checker compares only what was sent first, with what MESSAGE_CREATE has.
      await send(world, random, 'PATCH', `/channels/${sent.channelId}/messages/${sent.id}`, { embeds: [] });
    },
  },
  {
    weight: 6,
    write: async (world, random, place) => {
      const sent = knownMessage(world, random, place);
      if (!sent?.id) return;
      const { deletions } = world.journal;
      deletions.set(sent.id, deletions.get(sent.id) ?? performance.now());
      await send(world, random, 'DELETE', `/channels/${sent.channelId}/messages/${sent.id}`);
    },
  },
  {
    weight: 4,
    write: async (world, random, place) => {
      const { answer } = await send(world, random, 'POST', `/guilds/${place.id}/channels`, { name: 'made' });
      if (answer?.status === 201) place.made.push(answer.body.id);
    },
  },
  {
    weight: 4,
    write: async (world, random, place) => {
      const name = `renamed-${random.below(1_000)}`;
      await send(world, random, 'PATCH', `/channels/${random.of(channelsOf(place))}`, { name });
    },
  },
  {
    weight: 3,
    write: async (world, random, { made }) => {
      const id = random.orNull(made);
      if (id === null) return;
      made.splice(made.indexOf(id), 1);
      await send(world, random, 'DELETE', `/channels/${id}`);
    },
  },
  {
    weight: 3,
    write: async (world, random, place) => {
      const { answer } = await send(world, random, 'POST', `/guilds/${place.id}/roles`, { name: 'made' });
      if (answer?.status !== 200) return;
      const path = `/guilds/${place.id}/roles/${answer.body.id}`;
      await send(world, random, 'PATCH', path, { name: `renamed-${random.below(1_000)}` });
      if (random.chance(0.5)) await send(world, random, 'DELETE', path);
    },
  },
  {
    weight: 4,
    write: async (world, random, place) => {
      const nick = `nick-${random.below(1_000)}`;
      await send(world, random, 'PATCH', `/guilds/${place.id}/members/${world.limited.id}`, { nick });
    },
  },
];

function byWeight<T extends { weight: number }>(random: Random, list: readonly T[]): T {
  return random.of(list.flatMap((one) => Array.from({ length: one.weight }, () => one)));
}

async function writeOn(world: World, random: Random): Promise<void> {
  while (!world.isOver) {
    await byWeight(random, WRITES).write(world, random, random.of(world.places));
    await setTimeout(random.below(10));
  }
}

/** Hides a channel from a bot and shows it again. */
async function changeSights(world: World, random: Random): Promise<void> {
  const { journal, limited } = world;
  const botId = String(limited.id);
  while (!world.isOver) {
    const place = random.of(world.places);
    const isVisible = random.chance(0.5);
    const path = `/channels/${place.changingId}/permissions/${botId}`;
    const view = String(Permission.ViewChannel);
    const bits = isVisible ? { allow: view, deny: '0' } : { allow: '0', deny: view };
    const change: SightSpan = { botId, placeId: place.changingId, isVisible };
    await noteSight(journal, change, () => send(world, random, 'PUT', path, { type: OverwriteType.Member, ...bits }));
    await setTimeout(random.below(120));
  }
}

type SightSpan = { botId: string; placeId: string; isVisible: boolean };

/** Notes the change before it begins, because messages of that time are checked only afterwards. */
async function noteSight(journal: Journal, change: SightSpan, act: () => Promise<Done>): Promise<void> {
  const startedAt = performance.now();
  const done = await act().catch((error: unknown) => {
    journal.sights.push({ ...change, startedAt, answeredAt: Number.POSITIVE_INFINITY });
    throw error;
  });
  if (isDone(done)) journal.sights.push({ ...change, startedAt: done.startedAt, answeredAt: done.answeredAt });
}

/** Removes a bot from a guild and adds it again. At the end, it is a member. */
async function kickAndInvite(world: World, random: Random): Promise<void> {
  const { journal, visitor, places } = world;
  const change = { botId: String(visitor.id), placeId: places[1].id };
  while (!world.isOver) {
    await setTimeout(100 + random.below(300));
    const kick = () => send(world, random, 'DELETE', `/guilds/${change.placeId}/members/${change.botId}`);
    await noteSight(journal, { ...change, isVisible: false }, kick);
    await setTimeout(100 + random.below(300));
    await eventually(() => noteSight(journal, { ...change, isVisible: true }, () => invite(world)));
  }
}

async function invite({ hosts, places, visitor }: World): Promise<Done> {
  const startedAt = performance.now();
  await add(hosts, places[1].guild, visitor, 0n);
  return { startedAt, answeredAt: performance.now(), answer: null };
}

type Step = (world: World, random: Random) => Promise<void>;

/** How long processes may take to hear of what happened in an outage. */
const HEARD_WITHIN_MS = 2_000;

function noteOutage({ journal }: World, startedAt: number): void {
  journal.outages.push({ startedAt, answeredAt: performance.now() + HEARD_WITHIN_MS });
}

/** Ends the process of a host, and starts another. */
async function replace({ hosts }: World, host: Host, end: () => Promise<void> | void): Promise<void> {
  const other = hosts.both.find((one) => one !== host);
  hosts.front.leadTo(other?.origin ?? host.origin);
  await end();
  await host.start();
}

const DISTURBANCES: { weight: number; step: Step }[] = [
  {
    weight: 10,
    step: async ({ clients, library }, random) => {
      const client = random.of([...clients, null]);
      if (client) client.cut(random.chance(0.4));
      else breakConnection(library);
    },
  },
  {
    weight: 4,
    step: async ({ clients }, random) => {
      for (const client of random.some(clients)) client.cut(random.chance(0.4));
    },
  },
  {
    weight: 6,
    step: async (world, random) => {
      const host = random.of(world.hosts.both);
      const cut = random.some(world.clients, 0.3);
      const after = random.below(200);
      await Promise.all([
        replace(world, host, () => host.stop()),
        setTimeout(after).then(() => {
          for (const client of cut) client.cut(false);
        }),
      ]);
    },
  },
  {
    weight: 3,
    step: async (world, random) => {
      const { hosts } = world;
      world.isLossy = true;
      const host = random.of(hosts.both);
      const startedAt = performance.now();
      host.cutRedis();
      await setTimeout(50 + random.below(300));
      host.mendRedis();
      noteOutage(world, startedAt);
    },
  },
  {
    weight: 1,
    step: async (world, random) => {
      world.isLossy = true;
      const host = random.of(world.hosts.both);
      const startedAt = performance.now();
      await replace(world, host, () => host.kill());
      noteOutage(world, startedAt);
    },
  },
  {
    weight: 3,
    step: async ({ clients }) => {
      for (const client of clients) client.beat();
    },
  },
];

async function disturb(world: World, random: Random): Promise<void> {
  for (let n = 0; n < STEPS; n += 1) {
    await setTimeout(PAUSE_MS.least + random.below(PAUSE_MS.most - PAUSE_MS.least));
    await byWeight(random, DISTURBANCES).step(world, random);
  }
}

/** Sends a last message to each guild. @returns faults of clients that do not get them */
async function settle(world: World): Promise<string[]> {
  const { places, clients, library } = world;
  const random = new Random(0);
  const last: [string, string][] = [];
  for (const place of places) {
    const id = await eventually(async () => {
      const sent = await sendMessage(world, random, place, place.steadyId);
      if (sent === null) throw new Error('the last message has no answer');
      return sent;
    });
    last.push([place.steadyId, id]);
  }
  const isSettled = ({ record }: RoamingClient) =>
    record !== undefined && last.every(([channelId, id]) => hasHeard(record, channelId, id));
  const isUpToDate = () => last.every(([channelId, id]) => hasNewest(library, channelId, id));
  await eventually(() => {
    if (!(clients.every(isSettled) && isUpToDate())) throw new Error('not settled');
  }).catch(() => {});
  const late = clients.filter((client) => !isSettled(client)).map(({ name }) => name);
  if (!isUpToDate()) late.push('the library');
  return late.map((name) => `${name} did not get the last messages`);
}

function hasHeard({ dispatches }: SessionRecord, channelId: string, messageId: string): boolean {
  return dispatches.some(({ t, d }) => {
    if (t === 'MESSAGE_CREATE') return d.id === messageId;
    if (t !== 'GUILD_CREATE') return false;
    return d.channels.some((one: { id: string; last_message_id?: string }) => {
      return one.id === channelId && BigInt(one.last_message_id ?? 0) >= BigInt(messageId);
    });
  });
}

async function outcomeOf(world: World, late: string[]): Promise<Outcome> {
  const truth = { journal: world.journal, messages: await allMessages(world) };
  const records = world.clients.flatMap((client) => client.records);
  const caches = await cacheFaults(
    world.library,
    anyServer(world.hosts),
    world.places.map(({ id }) => id),
  );
  const findings = records.map((record) => checkSession(record, truth));
  const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0);
  return {
    faults: [...late, ...caches, ...endingFaults(world, records), ...findings.flatMap(({ faults }) => faults)],
    messages: world.journal.sent.length,
    resumes: sum(records.map(({ resumes }) => resumes)),
    endings: records.flatMap(({ ending }) => ending ?? []),
    gaps: sum(findings.map(({ gaps }) => gaps)),
    missed: sum(findings.map(({ missed }) => missed)),
  };
}

/** A session ends only with its process, or if its streams have a gap. */
function endingFaults({ isLossy }: World, records: SessionRecord[]): string[] {
  return records.flatMap(({ name, ending }) =>
    ending === null || (isLossy && ending === 'op 9') ? [] : [`${name} ended: ${ending}`],
  );
}

/** All messages of the channels that are never deleted, including deleted ones. */
async function allMessages({ hosts, journal, places }: World): Promise<Truth['messages']> {
  const { reader } = anyServer(hosts).app.db;
  const channelIds = places.flatMap(({ steadyId, changingId, secretId }) => [steadyId, changingId, secretId]);
  const stored = await reader.message.findMany({
    where: { channelId: { in: channelIds.map(BigInt) } },
    select: { id: true, channelId: true },
  });
  const all = [
    ...stored.map(({ id, channelId }) => ({ id: String(id), channelId: String(channelId) })),
    ...journal.sent.flatMap(({ id, channelId }) => (id === null ? [] : [{ id, channelId }])),
  ];
  return new Map(
    channelIds.map((channelId) => {
      const ids = new Set(all.filter((message) => message.channelId === channelId).map(({ id }) => BigInt(id)));
      return [channelId, [...ids].sort((a, b) => (a < b ? -1 : 1)).map(String)];
    }),
  );
}
