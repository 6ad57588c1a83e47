import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryDelayMs } from '../../../src/infra/jobs/kinds.js';

const HOUR_MS = 3_600_000;
const attempts = fc.integer({ min: 1, max: 2_000 });
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('the delay after a failure doubles up to an hour, minus up to half of it at random', () => {
  fc.assert(
    fc.property(attempts, chances, (attempt, chance) => {
      const longest = Math.min(HOUR_MS, 10_000 * 2 ** (attempt - 1));
      expect(retryDelayMs(attempt, 0)).toBe(longest);
      expect(retryDelayMs(attempt, chance)).toBeGreaterThanOrEqual(longest / 2);
      expect(retryDelayMs(attempt, chance)).toBeLessThanOrEqual(longest);
    }),
  );
});

test('jobs that failed together are not tried together', () => {
  const delays = Array.from({ length: 100 }, () => retryDelayMs(5));
  expect(new Set(delays).size).toBeGreaterThan(50);
});
