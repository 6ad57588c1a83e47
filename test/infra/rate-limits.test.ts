import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { createRateLimits, type Limit, noRateLimits } from '../../src/infra/rate-limits.js';

const limit = (name: string): Limit => ({ name, points: 3, seconds: 60 });

async function takes(limits: ReturnType<typeof createRateLimits>, count: number, of: Limit, key = 'ada') {
  const allowed: boolean[] = [];
  for (let n = 0; n < count; n += 1) allowed.push((await limits.take(of, key)).allowed);
  return allowed;
}

describe('a limit', () => {
  test('lets through what it says, for each key, and tells what is left', async () => {
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

  test('is not pushed out by what it refuses', async () => {
    const limits = createRateLimits(null);
    await takes(limits, 3, limit('c'));
    const before = (await limits.peek(limit('c'), 'ada')).resetAfterMs;
    await takes(limits, 50, limit('c'));
    expect((await limits.peek(limit('c'), 'ada')).resetAfterMs).toBeLessThanOrEqual(before);
  });

  test('holds when a hundred come at once', async () => {
    const limits = createRateLimits(null);
    const states = await Promise.all(Array.from({ length: 100 }, () => limits.take(limit('d'), 'ada')));
    expect(states.filter((state) => state.allowed)).toHaveLength(3);
  });

  test('is counted by each process alone while Redis does not answer', async () => {
    const redis = new Redis('redis://127.0.0.1:1', { retryStrategy: () => null });
    redis.on('error', () => {});
    const limits = createRateLimits(redis);
    expect(await takes(limits, 4, limit('e'))).toEqual([true, true, true, false]);
    expect(await limits.peek(limit('e'), 'ada')).toMatchObject({ allowed: false });
    redis.disconnect();
  });
});

test('no limits refuse nothing', async () => {
  expect(await takes(noRateLimits, 10, limit('f'))).toEqual(Array(10).fill(true));
  expect(await noRateLimits.peek(limit('f'), 'ada')).toMatchObject({ allowed: true, remaining: 3 });
});
