import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisLink } from './processes/redis.js';

/** A fixed-window limit. */
export interface Limit {
  /** Limits of the same name share their counts. Their points may differ. */
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
  /** Of a use in an earlier window, it allows one more in this window. */
  giveBack(limit: Limit, key: string, points?: number): Promise<void>;
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
      // The library only counts, because the points of a limit may vary.
      points: Number.MAX_SAFE_INTEGER,
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
    } catch {
      redis.doubt();
      return question(own);
    }
  };
  const stateOf = (limit: Limit, { consumedPoints, msBeforeNext }: RateLimiterRes, most: number): LimitState => ({
    allowed: consumedPoints <= most,
    limit: limit.points,
    remaining: Math.min(Math.max(0, limit.points - consumedPoints), limit.points),
    // The library derives `msBeforeNext` from the system time, which may be set back during a window.
    resetAfterMs: Math.min(Math.max(0, msBeforeNext), limit.seconds * 1000),
  });
  return {
    async take(limit, key, points = 1) {
      const counted = await ask(limit, (limiter) => limiter.consume(key, points));
      const state = stateOf(limit, counted, limit.points);
      if (!state.allowed) onRefusal(limit);
      return state;
    },
    async giveBack(limit, key, points = 1) {
      await ask(limit, (limiter) => limiter.reward(key, points));
    },
    async peek(limit, key) {
      const counted = await ask(limit, (limiter) => limiter.get(key));
      if (counted === null)
        return { allowed: limit.points > 0, limit: limit.points, remaining: limit.points, resetAfterMs: 0 };
      return stateOf(limit, counted, limit.points - 1);
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
