import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Loose } from '../harness/graphql.js';
import { missingForSeveralProcesses } from '../harness/redis.js';
import type { Outcome } from './caches/acting.js';
import { cachedGuild, newestCached } from './caches/cached.js';
import { breakConnection, type Cast, type ClientBot, openCast, openClient } from './caches/cast.js';
import type { Dispatch } from './caches/dispatches.js';
import { NOT_CACHED, type Onlooker } from './caches/known.js';
import { OPERATIONS, planOne } from './caches/operations/index.js';
import { takePicture } from './caches/picture.js';
import { Random } from './caches/random.js';
import { clientsOf, type Pause, settle } from './caches/settle.js';
import { compareSight, toldOfGuild } from './caches/sight.js';
import { newestStored, storedGuild } from './caches/stored.js';

const OPERATIONS_IN_ALL = 1_000;

/** Operations between two comparisons of the caches. */
const OPERATIONS_PER_PAUSE = 100;

/** Minimum of operations that succeed. */
const DONE_AT_LEAST = 700;

const BURST = 8;

/** The seed of every run, and the number of additional random seeds. */
const SEED = 20_150_513;
const OTHERS = Number(process.env.CACHE_SEEDS ?? 0);
const FIRST = Number(process.env.CACHE_FIRST_SEED ?? 1);
const SEEDS = [SEED, ...Array.from({ length: OTHERS }, (_, n) => FIRST + n)];

let cast: Cast | undefined;

afterEach(async () => {
  await cast?.stop();
  cast = undefined;
});

/** Why there is one process only, or null. On SQLite there is no other. */
const missing = await missingForSeveralProcesses();

it.each(SEEDS)(
  `caches of discord.js at ${missing ? 'one process' : 'two processes'} equal the database after 1,000 operations at random (seed %i)`,
  async (seed) => {
    const open = await openCast(missing ? 1 : 2);
    cast = open;
    const random = new Random(seed);
    const tally = new Tally();
    // All clients get every event from here on.
    const pauses = [await settle(open)];
    while (tally.asked < OPERATIONS_IN_ALL) {
      const pauseAt = tally.asked + OPERATIONS_PER_PAUSE;
      while (tally.asked < pauseAt) await playBurst(open, random, tally);
      pauses.push(await settle(open));
      await compareCaches(open);
    }
    expect(tally.done).toBeGreaterThanOrEqual(DONE_AT_LEAST);
    expect(tally.neverDone()).toEqual([]);
    compareTold(open, pauses);
    await compareNewClient(open);
  },
  300_000,
);

it.each(NOT_CACHED)('every part that is not compared has a source: $what', ({ source }) => {
  const file = join(import.meta.dirname, '../../node_modules/discord.js/src', source);
  expect(/^G-\d+$/.test(source) || existsSync(file)).toBe(true);
});

class Tally {
  asked = 0;
  done = 0;
  readonly #doneOf = new Map<string, number>();

  note(name: string, { done }: Outcome): void {
    this.asked += 1;
    if (!done) return;
    this.done += 1;
    this.#doneOf.set(name, (this.#doneOf.get(name) ?? 0) + 1);
  }

  neverDone(): string[] {
    return Object.keys(OPERATIONS).filter((name) => !this.#doneOf.has(name));
  }
}

/** Runs one operation, or several concurrent ones that are planned independently. */
async function playBurst(open: Cast, random: Random, tally: Tally): Promise<void> {
  if (random.chance(0.02)) breakConnection(open.roamer);
  const scene = { cast: open, picture: await takePicture(open), random };
  const size = random.chance(0.6) ? 1 : 2 + random.below(BURST - 1);
  const planned = Array.from({ length: size }, () => planOne(scene, tally.neverDone()));
  const outcomes = await Promise.all(planned.map(async ({ name, step }) => ({ name, outcome: await step() })));
  for (const { name, outcome } of outcomes) tally.note(name, outcome);
}

/** The permissions of a client. The watcher's permissions for most channels change. */
function onlookerOf(open: Cast, bot: ClientBot): Onlooker {
  const limited = bot === open.watcher;
  return {
    id: bot.rest.id,
    hears: limited ? [open.steadyId] : null,
    hidden: limited ? [open.secretId] : [],
    hearsOfModeration: !limited,
    reacts: bot === open.roamer,
  };
}

async function compareCaches(open: Cast): Promise<void> {
  // `settle` posts its message in this channel, after all other events.
  const newest = await newestStored(open, open.steadyId);
  for (const bot of clientsOf(open)) {
    const onlooker = onlookerOf(open, bot);
    expect(cachedGuild(bot.client, open.guild.id, onlooker), bot.name).toEqual(await storedGuild(open, onlooker));
    expect(newestCached(bot.client, open.steadyId), bot.name).toBe(newest);
  }
}

/** Events without a commit. Their order differs between processes. */
const UNORDERED = ['PRESENCE_UPDATE', 'TYPING_START'];

/**
 * A client with broken connections, at the other process if there are two, gets the same events as one without, in one
 * order. The watcher gets the visible ones.
 */
function compareTold(open: Cast, pauses: Pause[]): void {
  const { administrator, roamer, watcher, guild } = open;
  const first = new Map(pauses[0]);
  const ofGuild = (dispatches: Dispatch[], ownIds: string[]) =>
    toldOfGuild(dispatches, ...ownIds).filter(({ type }) => missing || !UNORDERED.includes(type));
  const toldSince = ({ dispatches }: ClientBot, ...ownIds: string[]) =>
    ofGuild(dispatches.all.slice(first.get(dispatches)), ownIds);
  const textsOf = (bot: ClientBot) =>
    toldSince(bot, administrator.rest.id, roamer.rest.id).map(({ type, text }) => type + text);
  expect(textsOf(roamer)).toEqual(textsOf(administrator));
  expect(roamer.dispatches.all.some(({ type }) => type === 'RESUMED')).toBe(true);

  const seen = [administrator.rest.id, watcher.rest.id];
  const { dispatches } = administrator;
  const places = pauses.map(
    (pause) => ofGuild(dispatches.all.slice(first.get(dispatches), pause.get(dispatches)), seen).length,
  );
  const of = { guildId: guild.id, botId: watcher.rest.id };
  const everything = toldSince(administrator, ...seen);
  const sight = compareSight(of, guildCreateOf(administrator), everything, toldSince(watcher, ...seen), places);
  expect(sight).toEqual({ withheld: [], shown: [], strange: [] });
}

function guildCreateOf({ dispatches }: ClientBot): Loose {
  return dispatches.all.find(({ type }) => type === 'GUILD_CREATE')?.data;
}

async function compareNewClient(open: Cast): Promise<void> {
  const bot = await openClient(open.server, 'newcomer', open.watcher.rest);
  try {
    const onlooker: Onlooker = { id: bot.rest.id, hears: [], hidden: [], hearsOfModeration: false, reacts: false };
    expect(cachedGuild(bot.client, open.guild.id, onlooker)).toEqual(await storedGuild(open, onlooker));
  } finally {
    await bot.client.destroy();
  }
}
