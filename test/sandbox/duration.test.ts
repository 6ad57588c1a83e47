import { expect, test } from 'vitest';
import { parseDuration } from '../../src/sandbox/duration.js';

test.each([
  ['500ms', 500],
  ['90s', 90_000],
  ['1.5s', 1_500],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['30d', 2_592_000_000],
  ['0s', 0],
  [0, 0],
  [250, 250],
] as const)('%j is %i ms', (duration, ms) => {
  expect(parseDuration(duration)).toBe(ms);
});

test.each(['', '15', '15 m', 'm', '-1s', '1h30m', '1y', '1e3s', '١s', -1, Number.NaN, Number.POSITIVE_INFINITY])(
  '%j is refused with an example of a duration',
  (duration) => {
    expect(() => parseDuration(duration)).toThrow(/is not a duration: write a number and a unit .* such as "90s"/);
  },
);
