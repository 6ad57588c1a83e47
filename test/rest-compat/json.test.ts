import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/rest-compat/json.js';

/** JSON values with whole numbers of any length, as bigints if a double would lose a digit. */
const integers = fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }).map((n) => {
  return Number.isSafeInteger(Number(n)) ? Number(n) : n;
});
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('"', '\\', '1', '1234567890123456789', ',', ':', 'é', '\n') }),
);
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    integers,
    texts,
    fc.double({ noDefaultInfinity: true, noNaN: true }).filter((n) => !Number.isInteger(n)),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(texts, fc.constantFrom('__proto__', 'id')), tie('value'), { maxKeys: 5 }),
  ),
}));

function textOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => ` ${JSON.stringify(key)}: ${textOf(member)}`)
    .join()}\n}`;
}

/** Returns plain objects; those of the generator have no prototype. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.entries(value).map(([key, member]) => [key, plain(member)]);
};

describe('parseJson', () => {
  it('reads whole numbers to the last digit', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(plain(parseJson(textOf(value)))).toEqual(plain(value));
      }),
    );
  });

  it('agrees with JSON.parse on text without long integers', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const read = parseJson(text);
        if (!/\d{16}/.test(text)) expect(read).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['[123456789012345678]', [123456789012345678n]],
    ['-123456789012345678', -123456789012345678n],
    ['9007199254740991', 9007199254740991],
    [
      '[12345678901234567e2,1234567890123456.5,0.12345678901234567890]',
      [Number('12345678901234567e2'), 1234567890123456.5, 0.12345678901234568],
    ],
    [`[${'1'.repeat(41)}]`, [Number('1'.repeat(41))]],
    ['{"123456789012345678":"123456789012345678"}', { '123456789012345678': '123456789012345678' }],
    ['{"a":1,"a":123456789012345678}', { a: 123456789012345678n }],
    ['{"\\\\":"\\\\\\"1","b":123456789012345678}', { '\\': '\\"1', b: 123456789012345678n }],
  ])('reads %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each(['', '{', '[1', '"', '"1234567890123456789', '{"a":01234567890123456789}', '123456789012345678x'])(
    'refuses %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'INVALID_JSON' }));
    },
  );

  const LONG = 64 * 1024 + 1;

  it('returns long integers of longer texts as strings, with all digits', () => {
    const text =
      '[123456789012345678, -123456789012345678, 9007199254740991, "1234567890123456789", "\\"", 1234567890123456.5]';
    expect(parseJson(text.padEnd(LONG))).toEqual([
      '123456789012345678',
      '-123456789012345678',
      9007199254740991,
      '1234567890123456789',
      '"',
      1234567890123456.5,
    ]);
  });

  it.each(['{1234567890123456789:1}', '[01234567890123456789]', '["1234567890123456789]', '[1234567890123456789x]'])(
    'refuses %j in longer text',
    (text) => {
      expect(() => parseJson(text.padEnd(LONG))).toThrow(expect.objectContaining({ code: 'INVALID_JSON' }));
    },
  );

  it.each(['\\"', '\\\n"', '"\\'])('refuses an unterminated string quickly: many %j', (part) => {
    const started = performance.now();
    expect(() => parseJson(`["${part.repeat(300_001)} 1234567890123456`)).toThrow('invalid JSON');
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('reads a string of megabytes', () => {
    const picture = `data:image/png;base64,${'1234567890123456/+ab'.repeat(500_000)}`;
    expect(parseJson(JSON.stringify({ picture }))).toEqual({ picture });
  });
});
