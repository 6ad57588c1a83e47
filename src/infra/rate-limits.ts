import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisLink } from './processes/redis.js';

/** A fixed-window limit. */
export interface Limit {
  name: string;
  points: number;
  seconds: number;
}

export interface LimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** At most the length of the window. */
  resetAfterMs: number;
}

export interface RateLimits {
  /** A refused use does not extend the window. */
  take(limit: Limit, key: string, points?: number): Promise<LimitState>;
  giveBack(limit: Limit, key: string): Promise<void>;
  peek(limit: Limit, key: string): Promise<LimitState>;
}

interface Limiters {
  own: RateLimiterMemory;
  shared: RateLimiterRedis | null;
}

/**
 * Counts in memory, or in Redis if several processes share the limits. While Redis does not answer, each process counts
 * alone. After one timeout, calls stop waiting for it.
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
    // The library derives `msBeforeNext` from the system time, which may be set back during a window.
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

/** For benchmarks and load tests (`RATE_LIMITS=off`). */
export const noRateLimits: RateLimits = {
  take: async (limit) => unlimited(limit),
  giveBack: async () => {},
  peek: async (limit) => unlimited(limit),
};

function unlimited(limit: Limit): LimitState {
  return { allowed: true, limit: limit.points, remaining: limit.points, resetAfterMs: limit.seconds * 1000 };
}
