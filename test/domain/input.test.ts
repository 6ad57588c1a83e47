import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { DomainError, type FieldFault } from '../../src/domain/errors.js';
import { characters, fault, nameText, parseInput, plainText, snowflake, trimmedText } from '../../src/domain/input.js';

function faultsIn(schema: z.ZodType, value: unknown, path?: string): FieldFault[] {
  try {
    parseInput(schema, value, path);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'INVALID_INPUT') return error.fields;
    throw error;
  }
  return [];
}

describe('a fault', () => {
  const REQUIRED = { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };
  const TOO_SMALL = 'Must be 2 or more in length.';
  const TOO_BIG = 'Must be 2 or fewer in length.';

  it.each<[string, z.ZodType, unknown, { code: string; message: string }]>([
    ['nothing', z.string(), undefined, REQUIRED],
    ['null', z.number(), null, REQUIRED],
    ['nothing of several', z.union([z.string(), z.number()]), undefined, REQUIRED],
    ['null for a choice', z.enum(['a', 'b']), null, REQUIRED],
    ['nothing for a choice', z.literal('a'), undefined, REQUIRED],
    ['another choice', z.enum(['a', 'b']), 'c', { code: 'BASE_TYPE_CHOICES', message: 'Value must be one of {a, b}.' }],
    [
      'a number for text',
      z.string(),
      1,
      { code: 'STRING_TYPE_CONVERT', message: 'Could not interpret the value as string.' },
    ],
    [
      'text for a truth',
      z.boolean(),
      'true',
      { code: 'BOOLEAN_TYPE_CONVERT', message: 'Must be either true or false.' },
    ],
    ...[z.number(), z.int(), z.bigint()].map((schema): [string, z.ZodType, unknown, FieldFault] => [
      `text for a ${schema.type}`,
      schema,
      'x',
      { path: '', code: 'NUMBER_TYPE_COERCE', message: 'The value is not a whole number.' },
    ]),
    [
      'text for a list',
      z.array(z.string()),
      'x',
      { code: 'LIST_TYPE_CONVERT', message: 'Only iterables may be used in a ListType.' },
    ],
    ...[z.object({}), z.record(z.string(), z.string())].map((schema): [string, z.ZodType, unknown, FieldFault] => [
      `text for a ${schema.type}`,
      schema,
      'x',
      { path: '', code: 'MODEL_TYPE_CONVERT', message: 'Only dictionaries may be used in a ModelType.' },
    ]),
    [
      'a truth for one of several',
      z.union([z.string(), z.number()]),
      true,
      { code: 'BASE_TYPE_INVALID', message: 'The value has the wrong type.' },
    ],
    ['short text', z.string().min(2), 'x', { code: 'BASE_TYPE_BAD_LENGTH', message: TOO_SMALL }],
    ['long text', z.string().max(2), 'xxx', { code: 'BASE_TYPE_MAX_LENGTH', message: TOO_BIG }],
    ['a short list', z.array(z.string()).min(2), [], { code: 'BASE_TYPE_BAD_LENGTH', message: TOO_SMALL }],
    ['a long list', z.array(z.int()).max(2), [1, 2, 3], { code: 'BASE_TYPE_BAD_LENGTH', message: TOO_BIG }],
    [
      'a small number',
      z.int().min(2),
      1,
      { code: 'NUMBER_TYPE_MIN', message: 'int value should be greater than or equal to 2.' },
    ],
    [
      'a large number',
      z.int().max(2),
      3,
      { code: 'NUMBER_TYPE_MAX', message: 'int value should be less than or equal to 2.' },
    ],
    [
      'a rule of its own',
      z.string().refine(() => false, fault('ITS_OWN', 'Not so.')),
      'x',
      { code: 'ITS_OWN', message: 'Not so.' },
    ],
    [
      'a rule without a code',
      z.string().refine(() => false, 'Not so.'),
      'x',
      { code: 'BASE_TYPE_INVALID', message: 'Not so.' },
    ],
    ['a pattern', z.string().regex(/a/, 'No a.'), 'x', { code: 'BASE_TYPE_INVALID', message: 'No a.' }],
  ])('of %s', (_name, schema, value, expected) => {
    expect(faultsIn(schema, value)).toEqual([{ path: '', ...expected }]);
  });

  test('stands at its path, under that of the whole', () => {
    const schema = z.object({ list: z.array(z.object({ name: z.string() })), other: z.string() });
    const paths = (at?: string) => faultsIn(schema, { list: [{ name: 'a' }, {}] }, at).map(({ path }) => path);
    expect(paths()).toEqual(['list.1.name', 'other']);
    expect(paths('embeds.0')).toEqual(['embeds.0.list.1.name', 'embeds.0.other']);
    expect(faultsIn(z.string(), 1, 'embeds.0')).toMatchObject([{ path: 'embeds.0' }]);
  });
});

describe('text', () => {
  test('is counted by characters, of which one outside the basic plane is one', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'ü', '語', '🦊', '\ud800')), (parts) => {
        // A lone surrogate stays alone before all of these.
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
  ])('of 2 to 3 characters, once it is trimmed, is %j: %s', (text, expected) => {
    const faults = faultsIn(trimmedText(2, 3), text);
    expect(faults.map(({ message }) => message)).toEqual(expected ? [] : ['Must be between 2 and 3 in length.']);
    if (expected) expect(parseInput(trimmedText(2, 3), text)).toBe(text.trim());
    expect(faultsIn(nameText(2, 3), text)).toHaveLength(expected ? 0 : 1);
  });

  test('that is a name has enough characters that are seen, and at most so many in all', () => {
    expect(faultsIn(nameText(2, 3), 'a\u200Bb')).toEqual([]);
    expect(faultsIn(nameText(2, 3), 'a\u200B')).toMatchObject([{ code: 'BASE_TYPE_BAD_LENGTH' }]);
    expect(faultsIn(nameText(2, 3), 'a\u200B\u200Bb')).toMatchObject([{ code: 'BASE_TYPE_BAD_LENGTH' }]);
    expect(faultsIn(trimmedText(2, 3), '\u200B\u200B')).toEqual([]);
  });

  test('can be kept by both databases', () => {
    expect(parseInput(plainText(), ' \ud800 a')).toBe(' \ufffd a');
    expect(faultsIn(plainText(), 'a\u0000')).toMatchObject([{ code: 'STRING_TYPE_REGEX' }]);
  });
});

describe('a snowflake', () => {
  const MAX = 2n ** 63n - 1n;

  test('is the number that its digits are; beyond 64 bits it is nobody’s', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 66n }), fc.nat(3), (id, zeros) => {
        const expected = id > MAX ? 0n : id;
        expect(snowflake().parse(id)).toBe(expected);
        expect(snowflake().parse('0'.repeat(zeros) + id)).toBe(expected);
      }),
    );
    expect(snowflake().parse(MAX)).toBe(MAX);
    expect(snowflake().parse(MAX + 1n)).toBe(0n);
    expect(snowflake().parse(Number.MAX_SAFE_INTEGER)).toBe(BigInt(Number.MAX_SAFE_INTEGER));
  });

  it.each(['', 'x', '-1', '1.5', ' 1', '1 ', '0x1', 1.5, -1, Number.MAX_SAFE_INTEGER + 1, Number.NaN, -1n])(
    'is not %s',
    (value) => {
      expect(faultsIn(snowflake(), value)).toMatchObject([
        { code: expect.stringMatching(/^(NUMBER_TYPE_COERCE|BASE_)/) },
      ]);
    },
  );

  test('that is none is told, cut to 40 characters', () => {
    expect(faultsIn(snowflake(), 'x'.repeat(50))).toEqual([
      { path: '', code: 'NUMBER_TYPE_COERCE', message: `Value "${'x'.repeat(40)}" is not snowflake.` },
    ]);
  });
});
