import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/infra/clock.js';
import { createRateLimits, type LimitState, noRateLimits, type RateLimits } from '../../src/infra/rate-limits.js';
import { createClockedRateLimits } from '../../src/sandbox/rate-limits.js';
import { ManualClock } from '../harness/clock.js';

const SMALL = { name: 'messages', points: 3, seconds: 0.5 };
const LARGE = { ...SMALL, points: 5 };
const OTHER = { ...SMALL, name: 'others' };

type Use = (limits: RateLimits) => Promise<LimitState | undefined>;

const take =
  (limit = SMALL, points?: number, key = 'ada'): Use =>
  (limits) =>
    limits.take(limit, key, points);
const peek =
  (limit = SMALL, key = 'ada'): Use =>
  (limits) =>
    limits.peek(limit, key);
const giveBack =
  (points?: number): Use =>
  async (limits) =>
    void (await limits.giveBack(SMALL, 'ada', points));
const windowEnd: Use = async () => void (await setTimeout(SMALL.seconds * 1_000 + 20));

const SEQUENCES: [string, Use[]][] = [
  ['a limit that is reached', [peek(), take(), take(), peek(), take(), peek(), take(), take(), peek()]],
  ['several points at once', [take(SMALL, 2), peek(), take(SMALL, 2), peek(), take(SMALL, 9), peek()]],
  ['a use that is given back', [take(), take(), take(), take(), giveBack(2), peek(), take(), peek()]],
  ['more given back than used', [take(), giveBack(4), peek(), take(), take(), take(), take(), take(), take(), take()]],
  ['limits of the same name', [take(), take(), take(), take(), peek(LARGE), take(LARGE), take(LARGE), peek()]],
  [
    'other keys and names',
    [take(SMALL, 3), take(SMALL, 1, 'bob'), peek(SMALL, 'bob'), take(OTHER), peek(OTHER), take()],
  ],
  ['a window that ends', [take(SMALL, 9), windowEnd, peek(), take(), peek(), take(SMALL, 2), take()]],
  ['a use of an earlier window', [take(), windowEnd, giveBack(), peek(), take(), take(), take(), take(), take()]],
];

describe('limits by a clock answer like those of the service', () => {
  test.concurrent.each(SEQUENCES)('%s', async (_what, uses) => {
    const [service, clocked] = [createRateLimits(null), createClockedRateLimits(systemClock)];
    for (const use of uses) {
      const [expected, state] = await Promise.all([use(service), use(clocked)]);
      expect(state && { ...state, resetAfterMs: null }).toEqual(expected && { ...expected, resetAfterMs: null });
      const off = (state?.resetAfterMs ?? 0) - (expected?.resetAfterMs ?? 0);
      expect(Math.abs(off)).toBeLessThan(20);
    }
  });
});

test('a window ends when the clock has moved by its length, and not before', async () => {
  const clock = new ManualClock();
  const limits = createClockedRateLimits(clock);
  for (let use = 0; use < 4; use += 1) await limits.take(SMALL, 'ada');
  clock.advance(499);
  expect(await limits.take(SMALL, 'ada')).toEqual({ allowed: false, limit: 3, remaining: 0, resetAfterMs: 1 });
  clock.advance(1);
  expect(await limits.peek(SMALL, 'ada')).toEqual(await noRateLimits.peek({ ...SMALL, seconds: 0 }, 'ada'));
  expect(await limits.take(SMALL, 'ada')).toEqual({ allowed: true, limit: 3, remaining: 2, resetAfterMs: 500 });
});

test('ended windows are forgotten, and others are kept', async () => {
  const clock = new ManualClock();
  const limits = createClockedRateLimits(clock);
  const long = { ...SMALL, name: 'long', seconds: 60 };
  await limits.take(long, 'ada', 3);
  for (let key = 0; key < 10_000; key += 1) await limits.take(SMALL, String(key));
  clock.advance(1_000);
  await limits.take(SMALL, 'ada');
  expect((await limits.take(long, 'ada')).allowed).toBe(false);
});
