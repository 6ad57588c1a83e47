import { describe, expect, test } from 'vitest';
import { LoadingCache } from '../../../src/infra/caching/loading-cache.js';
import { ManualClock } from '../../harness/clock.js';

function loads(clock?: ManualClock) {
  const begun: { key: number; end(value: string | null): void; fail(error: Error): void }[] = [];
  const cache = new LoadingCache<number, string>({
    max: 100,
    ...(clock && { expiry: { ms: 1_000, clock } }),
    load: (key) => new Promise((resolve, reject) => begun.push({ key, end: resolve, fail: reject })),
  });
  return { begun, cache };
}

describe('a loading cache', () => {
  test('loads a value once for concurrent callers, and again after it expired', async () => {
    const clock = new ManualClock(1);
    const { begun, cache } = loads(clock);
    const found = [cache.get(1), cache.get(1)];
    begun[0]?.end('one');
    expect(await Promise.all(found)).toEqual(['one', 'one']);
    clock.advance(999);
    expect(await cache.get(1)).toBe('one');
    expect(begun).toHaveLength(1);
    clock.advance(2);
    const again = cache.get(1);
    begun[1]?.end('new');
    expect(await again).toBe('new');
  });

  test.each(['delete', 'clear'] as const)('caches nothing whose key goes by a %s during the load', async (way) => {
    const { begun, cache } = loads();
    const found = [cache.get(1), cache.get(2)];
    cache.delete(1);
    cache[way](2);
    begun[0]?.end('one');
    begun[1]?.end(null);
    expect(await Promise.all(found)).toEqual(['one', null]);
    const again = cache.get(1);
    expect(begun.map(({ key }) => key)).toEqual([1, 2, 1]);
    begun[2]?.end('new');
    expect(await again).toBe('new');
  });

  test('caches neither a missing value nor a failure', async () => {
    const { begun, cache } = loads();
    const missing = cache.get(1);
    begun[0]?.end(null);
    expect(await missing).toBeNull();
    const failing = cache.get(1);
    begun[1]?.fail(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    const found = cache.get(1);
    begun[2]?.end('one');
    expect(await found).toBe('one');
  });
});
