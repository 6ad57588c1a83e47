import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { characters, nameText, plainText, snowflake, trimmedText } from '../../src/domain/input.js';
import { parseInput } from '../../src/domain/parse-input.js';
import { faultsIn } from '../harness/faults-in.js';

describe('text', () => {
  test('is counted in code points, also outside the basic plane', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'ü', '語', '🦊', '\ud800')), (parts) => {
        // A lone surrogate cannot form a pair with any of these.
        expect(characters(parts.join(''))).toBe(parts.length);
      }),
    );
  });

  test.each([
    ['ab', true],
    [' ab ', true],
    ['🦊🦊🦊', true],
    ['a', false],
    [' a ', false],
    ['abcd', false],
    ['🦊🦊🦊🦊', false],
  ])('of 2 to 3 characters after trimming is %j: %s', (text, expected) => {
    const faults = faultsIn(trimmedText(2, 3), text);
    expect(faults.map(({ message }) => message)).toEqual(expected ? [] : ['Must be between 2 and 3 in length.']);
    if (expected) expect(parseInput(trimmedText(2, 3), text)).toBe(text.trim());
    expect(faultsIn(nameText(2, 3), text)).toHaveLength(expected ? 0 : 1);
  });

  test('that is a name has a minimum of visible characters, and a maximum of all characters', () => {
    expect(faultsIn(nameText(2, 3), 'a\u200Bb')).toEqual([]);
    expect(faultsIn(nameText(2, 3), 'a\u200B')).toMatchObject([{ code: 'BASE_TYPE_BAD_LENGTH' }]);
    expect(faultsIn(nameText(2, 3), 'a\u200B\u200Bb')).toMatchObject([{ code: 'BASE_TYPE_BAD_LENGTH' }]);
    expect(faultsIn(trimmedText(2, 3), '\u200B\u200B')).toEqual([]);
  });

  test('is changed so that both databases can store it', () => {
    expect(parseInput(plainText(), ' \ud800 a')).toBe(' \ufffd a');
    expect(faultsIn(plainText(), 'a\u0000')).toMatchObject([{ code: 'STRING_TYPE_REGEX' }]);
  });
});

describe('a snowflake', () => {
  const MAX = 2n ** 63n - 1n;

  test('is the number of its digits, or the highest id beyond 64 bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 66n }), fc.nat(3), (id, zeros) => {
        const expected = id > MAX ? MAX : id;
        expect(snowflake().parse(id)).toBe(expected);
        expect(snowflake().parse('0'.repeat(zeros) + id)).toBe(expected);
      }),
    );
    expect(snowflake().parse(MAX)).toBe(MAX);
    expect(snowflake().parse(MAX + 1n)).toBe(MAX);
    expect(snowflake().parse(Number.MAX_SAFE_INTEGER)).toBe(BigInt(Number.MAX_SAFE_INTEGER));
  });

  test.each(['', 'x', '-1', '1.5', ' 1', '1 ', '0x1', 1.5, -1, Number.MAX_SAFE_INTEGER + 1, Number.NaN, -1n])(
    'cannot be %s',
    (value) => {
      expect(faultsIn(snowflake(), value)).toMatchObject([
        { code: expect.stringMatching(/^(NUMBER_TYPE_COERCE|BASE_)/) },
      ]);
    },
  );

  test('with an invalid value has an error with its first 40 characters', () => {
    expect(faultsIn(snowflake(), 'x'.repeat(50))).toEqual([
      { path: '', code: 'NUMBER_TYPE_COERCE', message: `Value "${'x'.repeat(40)}" is not snowflake.` },
    ]);
  });
});
