import type { Redis } from 'ioredis';
import { type IRateLimiterOptions, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

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
  /** Milliseconds until the window ends and the count starts anew. */
  resetAfterMs: number;
}

export interface RateLimits {
  /** Counts one use of `limit` by `key`. A refused use does not lengthen the wait. */
  take(limit: Limit, key: string): Promise<LimitState>;
  /** Takes back a use that was counted and came to nothing. */
  giveBack(limit: Limit, key: string): Promise<void>;
  /** The state of `key` without counting a use. */
  peek(limit: Limit, key: string): Promise<LimitState>;
}

/** Counts in memory, or in Redis when several processes share the limits. */
export function createRateLimits(redis: Redis | null): RateLimits {
  const limiters = new Map<string, RateLimiterMemory | RateLimiterRedis>();
  const limiterOf = (limit: Limit) => {
    const known = limiters.get(limit.name);
    if (known) return known;
    const options = { keyPrefix: `limit:${limit.name}`, points: limit.points, duration: limit.seconds };
    const limiter = redis ? sharedLimiter(redis, options) : new RateLimiterMemory(options);
    limiters.set(limit.name, limiter);
    return limiter;
  };
  const stateOf = (limit: Limit, result: RateLimiterRes, allowed: boolean): LimitState => ({
    allowed,
    limit: limit.points,
    remaining: Math.max(0, result.remainingPoints),
    resetAfterMs: Math.max(0, result.msBeforeNext),
  });
  return {
    async take(limit, key) {
      try {
        return stateOf(limit, await limiterOf(limit).consume(key), true);
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return stateOf(limit, refusal, false);
        throw refusal;
      }
    },
    async giveBack(limit, key) {
      await limiterOf(limit).reward(key);
    },
    async peek(limit, key) {
      const result = await limiterOf(limit).get(key);
      if (result === null) return { allowed: true, limit: limit.points, remaining: limit.points, resetAfterMs: 0 };
      return stateOf(limit, result, result.consumedPoints < limit.points);
    },
  };
}

/** Counts in Redis; while that does not answer, each process counts alone rather than refuse everybody. */
function sharedLimiter(redis: Redis, options: IRateLimiterOptions): RateLimiterRedis {
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(options),
  });
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
