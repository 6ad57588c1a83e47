import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/infra/clock.js';
import { connectRedis } from '../../src/infra/processes/redis.js';
import { createRateLimits, type Limit, noRateLimits } from '../../src/infra/rate-limits.js';
import { ManualClock } from '../harness/clock.js';
import { layRedisLine, missingRedis, REDIS_URL } from '../harness/redis.js';
import { needing } from '../harness/skipping.js';

const missing = await missingRedis();
const silent = pino({ level: 'silent' });

const limit = (name: string): Limit => ({ name, points: 3, seconds: 60 });

afterEach(() => vi.useRealTimers());

async function takes(limits: ReturnType<typeof createRateLimits>, count: number, of: Limit, key = 'ada') {
  const allowed: boolean[] = [];
  for (let n = 0; n < count; n += 1) allowed.push((await limits.take(of, key)).allowed);
  return allowed;
}

describe('a limit', () => {
  test('allows its number of requests for each key, and returns the remaining ones', async () => {
    const limits = createRateLimits(null);
    expect(await limits.peek(limit('a'), 'ada')).toMatchObject({ allowed: true, limit: 3, remaining: 3 });
    const first = await limits.take(limit('a'), 'ada');
    expect(first).toMatchObject({ allowed: true, limit: 3, remaining: 2 });
    expect(first.resetAfterMs).toBeGreaterThan(59_000);
    expect(first.resetAfterMs).toBeLessThanOrEqual(60_000);
    expect(await takes(limits, 3, limit('a'))).toEqual([true, true, false]);
    expect(await limits.peek(limit('a'), 'ada')).toMatchObject({ allowed: false, remaining: 0 });
    expect(await takes(limits, 1, limit('a'), 'bob')).toEqual([true]);
    expect(await takes(limits, 1, limit('b'))).toEqual([true]);
  });

  test('is not extended by refused requests', async () => {
    const limits = createRateLimits(null);
    await takes(limits, 3, limit('c'));
    const before = (await limits.peek(limit('c'), 'ada')).resetAfterMs;
    await takes(limits, 50, limit('c'));
    expect((await limits.peek(limit('c'), 'ada')).resetAfterMs).toBeLessThanOrEqual(before);
  });

  test('never gives a longer wait than its window, also when the clock is set back', async () => {
    const limits = createRateLimits(null);
    await takes(limits, 3, limit('clock'));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    const refused = await limits.take(limit('clock'), 'ada');
    expect(refused.allowed).toBe(false);
    expect(refused.resetAfterMs).toBe(60_000);
    expect((await limits.peek(limit('clock'), 'ada')).resetAfterMs).toBe(60_000);
  });

  test('holds when a hundred come at once', async () => {
    const limits = createRateLimits(null);
    const states = await Promise.all(Array.from({ length: 100 }, () => limits.take(limit('d'), 'ada')));
    expect(states.filter((state) => state.allowed)).toHaveLength(3);
  });

  test.each([
    ['in memory', null],
    ['in Redis', REDIS_URL],
  ])('with the same name shares its uses with others of more points, %s', async (_where, url) => {
    if (url !== null && missing) return;
    const redis = url === null ? null : await connectRedis(url, systemClock, silent);
    const limits = createRateLimits(redis);
    const small = limit(randomUUID());
    const large = { ...small, points: 5 };
    expect(await takes(limits, 4, small)).toEqual([true, true, true, false]);
    expect(await limits.peek(large, 'ada')).toMatchObject({ allowed: true, limit: 5, remaining: 1 });
    expect(await takes(limits, 2, large)).toEqual([true, false]);
    redis?.close();
  });

  test('allows as many more as were given back, and never shows more than its points as remaining', async () => {
    const limits = createRateLimits(null);
    await takes(limits, 1, limit('given'));
    await limits.giveBack(limit('given'), 'ada', 3);
    expect(await limits.peek(limit('given'), 'ada')).toMatchObject({ limit: 3, remaining: 3 });
    expect(await takes(limits, 6, limit('given'))).toEqual([true, true, true, true, true, false]);
  });

  test('is counted by each process alone while Redis does not answer', async () => {
    const redis = await connectRedis('redis://127.0.0.1:1', systemClock, silent);
    const limits = createRateLimits(redis);
    expect(await takes(limits, 4, limit('e'))).toEqual([true, true, true, false]);
    expect(await limits.peek(limit('e'), 'ada')).toMatchObject({ allowed: false });
    redis.close();
  });

  test.skipIf(missing)(
    needing(missing, 'waits once for a frozen Redis, and shares again when Redis responds'),
    async () => {
      const line = await layRedisLine();
      const clock = new ManualClock();
      const redis = await connectRedis(line.url, clock, silent);
      const limits = createRateLimits(redis);
      const shared = limit(randomUUID());
      expect(await takes(limits, 2, shared)).toEqual([true, true]);
      line.freeze();
      const command = redis.commands.ping().catch(() => 'given up');
      const unanswered = takes(limits, 1, shared);
      clock.advance(500);
      expect(await Promise.race([command, unanswered])).toEqual([true]);
      // The command timed out long before the connection does.
      expect([redis.answers(), redis.isAway()]).toEqual([false, false]);
      const asked = redis.commands.stream.bytesWritten;
      expect(await takes(limits, 3, shared)).toEqual([true, true, false]);
      expect(redis.commands.stream.bytesWritten).toBe(asked);
      line.mend();
      const asks = () => {
        clock.advance(1_000);
        return redis.answers();
      };
      await expect.poll(asks, { timeout: 20_000 }).toBe(true);
      expect((await limits.peek(shared, 'ada')).remaining).toBeLessThanOrEqual(1);
      redis.close();
      line.close();
    },
  );
});

test('disabled limits refuse nothing', async () => {
  expect(await takes(noRateLimits, 10, limit('f'))).toEqual(Array(10).fill(true));
  expect(await noRateLimits.peek(limit('f'), 'ada')).toMatchObject({ allowed: true, remaining: 3 });
});
