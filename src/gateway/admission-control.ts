import { LRUCache } from 'lru-cache';
import type { AppContext } from '../context.js';
import { countGuilds } from '../domain/guilds/index.js';
import { identifyPerDay } from '../domain/limits.js';
import { atMost } from '../infra/caching/at-most.js';
import { pause } from '../infra/clock.js';
import { FairSemaphore } from '../infra/concurrency/semaphore.js';
import type { LimitState } from '../infra/rate-limits.js';

/** IDENTIFYs of a process that are processed at once. A single bot gets half of them. */
const IDENTIFIES_AT_ONCE = 256;

/** Refused RESUMEs of `windowMs` beyond `free` delay the next one by up to `msEach` for each of them. */
const REFUSALS = { windowMs: 5_000, free: 50, msEach: 2, mostMs: 2_000 };

const COUNTS = { bots: 1_000, forMs: 5 * 60_000 };

/** Keeps many clients that come at once from delaying each other. */
export class AdmissionControl {
  readonly #identifies = new FairSemaphore<bigint>(IDENTIFIES_AT_ONCE, Number.POSITIVE_INFINITY);
  readonly #guildCounts: LRUCache<bigint, number>;
  #refusals = 0;

  /** @param random like `Math.random` */
  constructor(
    private readonly app: Pick<AppContext, 'connectionClock' | 'guilds' | 'limits'>,
    private readonly random = Math.random,
  ) {
    this.#guildCounts = new LRUCache({
      ...atMost(COUNTS.bots),
      ttl: COUNTS.forMs,
      ttlResolution: 0,
      perf: app.connectionClock,
    });
  }

  /** Takes one IDENTIFY of the day. Counts the bot's guilds only if it has used the smaller budget. */
  async takeOfDay(botId: bigint): Promise<LimitState> {
    const { limits, guilds } = this.app;
    const known = this.#guildCounts.get(botId);
    const limit = identifyPerDay(known ?? 0);
    const state = await limits.take(limit, String(botId));
    if (state.allowed || known !== undefined) return state;
    const count = await countGuilds(guilds, botId);
    this.#guildCounts.set(botId, count);
    await limits.giveBack(limit, String(botId));
    return limits.take(identifyPerDay(count), String(botId));
  }

  /** Bots take turns. */
  async identify<T>(botId: bigint, work: () => Promise<T>): Promise<T> {
    const release = await this.#identifies.take(botId);
    try {
      return await work();
    } finally {
      release?.();
    }
  }

  /** Waits for a random time before op 9, so that the clients of a killed process do not identify at once. */
  async delayRefusal(): Promise<void> {
    const { connectionClock: clock } = this.app;
    const { windowMs, free, msEach, mostMs } = REFUSALS;
    const ms = Math.min((this.#refusals - free) * msEach, mostMs) * this.random();
    this.#refusals += 1;
    clock.after(windowMs, () => {
      this.#refusals -= 1;
    });
    if (ms > 0) await pause(clock, ms);
  }
}
