import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisLink } from './redis.js';

/** How often something may happen: `points` times in a fixed window of `seconds`. */
export interface Limit {
  name: string;
  points: number;
  seconds: number;
}

export interface LimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Milliseconds until the window ends and the count starts anew; never more than the window is long. */
  resetAfterMs: number;
}

export interface RateLimits {
  /** Counts `points` uses of `limit` by `key`, one unless stated. A refused use does not lengthen the wait. */
  take(limit: Limit, key: string, points?: number): Promise<LimitState>;
  /** Takes back a use that was counted and came to nothing. */
  giveBack(limit: Limit, key: string): Promise<void>;
  /** The state of `key` without counting a use. */
  peek(limit: Limit, key: string): Promise<LimitState>;
}

/** How one limit is counted: by this process alone, and together with others. */
interface Limiters {
  own: RateLimiterMemory;
  shared: RateLimiterRedis | null;
}

/**
 * Counts in memory, or in Redis when several processes share the limits. While that does not answer, each process counts alone
 * rather than refuse everybody, and waits for it no more than once.
 * @param onRefusal is told of each use that is refused
 */
export function createRateLimits(redis: RedisLink | null, onRefusal: (limit: Limit) => void = () => {}): RateLimits {
  const limiters = new Map<string, Limiters>();
  const limitersOf = (limit: Limit) => {
    const known = limiters.get(limit.name);
    if (known) return known;
    const options = {
      keyPrefix: `${redis?.prefix ?? ''}limit:${limit.name}`,
      points: limit.points,
      duration: limit.seconds,
    };
    const made = {
      own: new RateLimiterMemory(options),
      shared: redis && new RateLimiterRedis({ ...options, storeClient: redis.commands, rejectIfRedisNotReady: true }),
    };
    limiters.set(limit.name, made);
    return made;
  };
  const ask = async <T>(limit: Limit, question: (limiter: RateLimiterMemory | RateLimiterRedis) => Promise<T>) => {
    const { own, shared } = limitersOf(limit);
    if (!shared || !redis?.answers()) return question(own);
    try {
      return await redis.inTime(question(shared));
    } catch (error) {
      if (error instanceof RateLimiterRes) throw error;
      redis.doubt();
      return question(own);
    }
  };
  const stateOf = (limit: Limit, result: RateLimiterRes, allowed: boolean): LimitState => ({
    allowed,
    limit: limit.points,
    remaining: Math.max(0, result.remainingPoints),
    // The library works it out from the time of day, which may be set back while a window is open.
    resetAfterMs: Math.min(Math.max(0, result.msBeforeNext), limit.seconds * 1000),
  });
  return {
    async take(limit, key, points = 1) {
      try {
        return stateOf(limit, await ask(limit, (limiter) => limiter.consume(key, points)), true);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        onRefusal(limit);
        return stateOf(limit, refusal, false);
      }
    },
    async giveBack(limit, key) {
      await ask(limit, (limiter) => limiter.reward(key));
    },
    async peek(limit, key) {
      const result = await ask(limit, (limiter) => limiter.get(key));
      if (result === null) return { allowed: true, limit: limit.points, remaining: limit.points, resetAfterMs: 0 };
      return stateOf(limit, result, result.consumedPoints < limit.points);
    },
  };
}

/** Limits that never refuse, for benchmarks and load tests (`RATE_LIMITS=off`). */
export const noRateLimits: RateLimits = {
  take: async (limit) => unlimited(limit),
  giveBack: async () => {},
  peek: async (limit) => unlimited(limit),
};

function unlimited(limit: Limit): LimitState {
  return { allowed: true, limit: limit.points, remaining: limit.points, resetAfterMs: limit.seconds * 1000 };
}
