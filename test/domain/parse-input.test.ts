import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { DomainError, type FieldFault, invalidInput, renameFaults } from '../../src/domain/errors.js';
import { fault, headline } from '../../src/domain/input.js';
import { parseInput } from '../../src/domain/parse-input.js';
import { faultsIn } from '../harness/faults-in.js';

describe('an input error', () => {
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
      'another choice where one has two names',
      z.enum({ News: 5, Announcement: 5, Text: 0 }),
      1,
      { code: 'BASE_TYPE_CHOICES', message: 'Value must be one of {5, 0}.' },
    ],
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
  ])('has a code and a message for %s', (_name, schema, value, expected) => {
    expect(faultsIn(schema, value)).toEqual([{ path: '', ...expected }]);
  });

  test('has its path, below the path of the whole', () => {
    const schema = z.object({ list: z.array(z.object({ name: z.string() })), other: z.string() });
    const paths = (at?: string) => faultsIn(schema, { list: [{ name: 'a' }, {}] }, at).map(({ path }) => path);
    expect(paths()).toEqual(['list.1.name', 'other']);
    expect(paths('embeds.0')).toEqual(['embeds.0.list.1.name', 'embeds.0.other']);
    expect(faultsIn(z.string(), 1, 'embeds.0')).toMatchObject([{ path: 'embeds.0' }]);
  });
});

describe('the errors of an input', () => {
  const faultAt = (path: string) => ({ path, code: 'X', message: 'Not so.' });
  const renamed = async (...paths: string[]) => {
    const work = renameFaults({ reference: 'message_reference', '': 'body' }, async () => {
      throw invalidInput(...paths.map(faultAt));
    });
    const error = await work.catch((thrown: unknown) => thrown);
    return error instanceof DomainError ? error.fields.map(({ path }) => path) : error;
  };

  test('get the names of the caller in the first segment of their paths', async () => {
    expect(await renamed('reference', 'reference.id', 'embeds.0.reference', '')).toEqual([
      'message_reference',
      'message_reference.id',
      'embeds.0.reference',
      'body',
    ]);
  });

  test('are renamed, and other errors and results stay the same', async () => {
    expect(await renameFaults({}, async () => 7)).toBe(7);
    for (const thrown of [new DomainError('UNKNOWN_ROLE'), new Error('ours')]) {
      const work = renameFaults({}, async () => {
        throw thrown;
      });
      await expect(work).rejects.toBe(thrown);
    }
  });
});

describe('an input with many errors', () => {
  test('reports a hundred of them', () => {
    expect(faultsIn(z.array(z.string()), Array(200).fill(1))).toHaveLength(100);
  });

  test('reports ten unknown keys', () => {
    const keys = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 1]));
    const faults = faultsIn(z.partialRecord(z.enum(['a']), z.number()), keys, 'by');
    expect(faults).toHaveLength(10);
    expect(faults[0]).toEqual({ path: 'by.k0', code: 'BASE_TYPE_INVALID', message: 'This field is not supported.' });
  });
});

describe('an error with a headline', () => {
  const Input = z.object({
    name: z.string().refine(
      () => false,
      headline(
        'X',
        (name) => `Not ${name}.`,
        (names) => `Not ${names.join(' nor ')}.`,
      ),
    ),
    age: z.number(),
  });

  test('sets the message of the whole, regardless of other errors', async () => {
    const refused = () => parseInput(Input, { name: 'Ada' });
    expect(refused).toThrow('Not Ada.');
    await expect(renameFaults({ name: 'title' }, async () => refused())).rejects.toThrow('Not Ada.');
    const both = () => parseInput(z.array(Input), [{ name: 'Ada' }, {}, { name: 'Bob' }]);
    expect(both).toThrow('Not Ada nor Bob.');
    expect(faultsIn(Input, { name: 'Ada' }).map(({ path, code }) => [path, code])).toEqual([
      ['name', 'X'],
      ['age', 'BASE_TYPE_REQUIRED'],
    ]);
  });
});

test('a discriminated union reports the values of its field, or that the field is required', () => {
  const kind = <Kind extends number>(type: Kind) => z.object({ type: z.literal(type) });
  const Either = z.discriminatedUnion('type', [kind(1), kind(2)]);
  expect(faultsIn(Either, { type: 3 })).toEqual([
    { path: 'type', code: 'BASE_TYPE_CHOICES', message: 'Value must be one of {1, 2}.' },
  ]);
  expect(faultsIn(Either, {})).toMatchObject([{ path: 'type', code: 'BASE_TYPE_REQUIRED' }]);
});
