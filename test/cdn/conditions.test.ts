import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTheSame, matches, parseRange } from '../../src/cdn/conditions.js';

describe('parseRange (RFC 9110, section 14.1.2)', () => {
  test.each<[string | undefined, ReturnType<typeof parseRange>]>([
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=0-', { start: 0, end: 9 }],
    ['bytes=2-4', { start: 2, end: 4 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=5-100', { start: 5, end: 9 }],
    ['bytes=5-99999999999999999999', { start: 5, end: 9 }],
    ['bytes=-1', { start: 9, end: 9 }],
    ['bytes=-100', { start: 0, end: 9 }],
    ['BYTES=1-1', { start: 1, end: 1 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-20', 'unsatisfiable'],
    ['bytes=99999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=4-2', null],
    ['bytes=-', null],
    ['bytes=a-b', null],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
    ['', null],
    [undefined, null],
  ])('parses %s of ten bytes', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });

  test('returns only ranges within the content', () => {
    const header = fc.tuple(fc.nat(30), fc.nat(30)).map(([from, to]) => `bytes=${from}-${to}`);
    fc.assert(
      fc.property(fc.oneof(header, fc.string()), fc.nat(20), (text, size) => {
        const range = parseRange(text, size);
        if (range === null || range === 'unsatisfiable') return;
        expect(0 <= range.start && range.start <= range.end && range.end < size).toBe(true);
      }),
    );
  });
});

test.each<[string | undefined, boolean]>([
  ['"1"', true],
  ['"0", W/"1"', true],
  ['*', true],
  ['"10"', false],
  ['1', false],
  ['', false],
  [undefined, false],
])('If-None-Match is evaluated: %s', (header, expected) => {
  expect(matches(header, '"1"')).toBe(expected);
});

test.each<[string, boolean]>([
  ['"1"', true],
  ['"0", "1"', true],
  ['*', true],
  ['W/"1"', false],
  ['"10"', false],
  ['', false],
])('If-Match is evaluated: %s', (header, expected) => {
  expect(isTheSame(header, '"1"')).toBe(expected);
});
