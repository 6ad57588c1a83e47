import { expect, test } from 'vitest';
import { z } from 'zod';
import { CommandPatch, NewCommand } from '../../src/domain/commands/index.js';
import { DomainError } from '../../src/domain/errors.js';
import { maybe, snowflake } from '../../src/domain/input.js';
import { parseInput, parseInTurns } from '../../src/domain/parse-input.js';
import { coerceTo } from '../../src/rest-compat/coerce.js';
import { InteractionCallback } from '../../src/rest-compat/interaction-callback.js';
import { SendMessageBody } from '../../src/rest-compat/message-body.js';
import { routes } from '../../src/rest-compat/table.js';
import { fieldsOf } from '../harness/fields.js';

const FIELD = z.object({ value: maybe(z.int()) }).transform(({ value }) => value);

test.each([
  ['text to a whole number', z.int(), '16711680', 16_711_680],
  ['text to a negative number', z.number(), '-5', -5],
  ['text to a number that stands for something', z.literal([1, 2]), '2', 2],
  ['a whole number to text', z.string(), 5, '5'],
  ['a whole number beyond 2^53 to text, with its digits', z.string(), 9_007_199_254_740_993n, '9007199254740993'],
  ['text to true', z.boolean(), 'true', true],
  ['text to false', z.boolean(), 'False', false],
  ['what may be null', z.int().nullish(), '5', 5],
  ['what stands in a field', FIELD, { value: '5', other: '5' }, { value: 5, other: '5' }],
  ['what stands in a list', z.array(FIELD), [{ value: 1 }, { value: '5' }], [{ value: 1 }, { value: 5 }]],
  ['what stands in a dictionary', z.record(z.string(), z.int()), { a: 1, b: '5' }, { a: 1, b: 5 }],
])('converts %s', (_, schema, given, expected) => {
  const before = structuredClone(given);
  expect(coerceTo(schema, given)).toStrictEqual(expected);
  expect(given).toStrictEqual(before);
});

test.each([
  ['a fraction as text', z.number(), '1.5'],
  ['hex', z.int(), '0xff'],
  ['a word', z.int(), 'red'],
  ['an exponent', z.int(), '1e3'],
  ['nothing', z.int(), ''],
  ['blanks', z.int(), ' 5'],
  ['true as a number', z.int(), true],
  ['a fraction to text', z.string(), 1.5],
  ['a number that lost digits', z.string(), 2 ** 53],
  ['true to text', z.string(), true],
  ['a list to text', z.string(), ['5']],
  ['a number to a boolean', z.boolean(), 1],
  ['a word that stands for nothing', z.literal([1, 2]), '3'],
  ['an id as a number', snowflake(), 5],
  ['an id as text', snowflake(), '5'],
  ['what a union takes as it is', z.union([z.string(), z.number()]), '5'],
  ['a value of another type where a field is', FIELD, '5'],
  ['a list that is too long', z.array(z.int()).max(1), ['1', '2']],
])('leaves %s as it is', (_, schema, given) => {
  expect(coerceTo(schema, given)).toBe(given);
});

/** Returns a copy with whole numbers as text and text of digits as numbers. */
function swapped(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : value;
  if (typeof value === 'string') return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(swapped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, swapped(entry)]));
}

/** Sample values by field name, which a field under test needs next to it. */
const SAMPLES = {
  name: 'name',
  description: 'text',
  type: 1,
  content: 'text',
  value: 'text',
  label: 'text',
  custom_id: 'id',
  title: 'text',
};

const MESSAGE = {
  content: '12',
  flags: 4,
  nonce: '7',
  embeds: [{ title: '5', color: 255, fields: [{ name: '1', value: '2' }], footer: { text: '3' } }],
  components: [
    { type: 1, components: [{ type: 2, style: 1, label: '1', custom_id: '2' }] },
    {
      type: 1,
      components: [{ type: 3, custom_id: '3', min_values: 0, max_values: 1, options: [{ label: '1', value: '1' }] }],
    },
    { type: 1, components: [{ type: 8, custom_id: '4', channel_types: [0, 2] }] },
  ],
  allowed_mentions: { users: ['123'] },
  message_reference: { type: 0, message_id: '5' },
  attachments: [{ id: 0, filename: '5', description: '6' }],
};

const LAYOUT = {
  flags: 1 << 15,
  components: [
    {
      type: 17,
      accent_color: 255,
      components: [
        {
          type: 9,
          components: [{ type: 10, content: '1' }],
          accessory: { type: 2, style: 2, label: '1', custom_id: '2' },
        },
      ],
    },
  ],
};

const COMMAND = {
  type: 1,
  name: '12',
  description: '3',
  description_localizations: { de: '4' },
  default_member_permissions: '8',
  contexts: [0, 1],
  options: [
    { type: 3, name: '1', description: '2', min_length: 1, choices: [{ name: '1', value: '2' }] },
    { type: 4, name: '2', description: '2', choices: [{ name: '3', value: 4 }], min_value: 1 },
    { type: 10, name: '3', description: '2', min_value: 1, max_value: 2.5 },
    { type: 7, name: '4', description: '2', channel_types: [0] },
  ],
};

const MODAL = {
  custom_id: '1',
  title: '2',
  components: [{ type: 18, label: '3', component: { type: 4, custom_id: '5', style: 1, min_length: 1, value: '6' } }],
};

test.each([
  ['a message', SendMessageBody, MESSAGE],
  ['a layout', SendMessageBody, LAYOUT],
  ['a command', NewCommand, COMMAND],
  [
    'a command with subcommands',
    NewCommand,
    { ...COMMAND, options: [{ type: 1, name: '5', description: '6', options: COMMAND.options }] },
  ],
  ['an answer', InteractionCallback, { type: 4, data: MESSAGE }],
  [
    'choices',
    InteractionCallback,
    { type: 8, data: { choices: [{ name: '1', value: 'a', name_localizations: { de: '5' } }] } },
  ],
  ['a modal', InteractionCallback, { type: 9, data: MODAL }],
] as const)('reads %s with its numbers as text, and its text as numbers', (_, schema, body) => {
  expect(parseInput(schema, coerceTo(schema, swapped(body)))).toEqual(parseInput(schema, body));
});

async function outcomeOf(schema: z.ZodType, body: unknown): Promise<unknown> {
  try {
    return await parseInTurns(schema, coerceTo(schema, body));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.fields.map(({ path, code }) => `${path} ${code}`);
  }
}

/** Fields that accept both a number and a text and keep them apart. */
const TELLS_APART = ['data.choices.0.value'];

/** A command's changes are parsed as a whole command, once its type is known. */
const isRead = (body: z.ZodType | null): body is z.ZodType => body !== null && body !== CommandPatch;

const BODIES = routes.flatMap(({ method, path, body }) => (isRead(body) ? [[`${method} ${path}`, body] as const] : []));

test.each(BODIES)('%s reads a whole number and its digits alike in every field', async (_, body) => {
  for (const { path, valueWith } of fieldsOf(body, { samples: SAMPLES, alsoBeside: () => [] })) {
    if (TELLS_APART.includes(path.join('.'))) continue;
    for (const number of [0, 1, 123_456_789_012]) {
      const place = `${path.join('.')} of ${number}`;
      expect([place, await outcomeOf(body, valueWith(String(number)))]).toEqual([
        place,
        await outcomeOf(body, valueWith(number)),
      ]);
    }
  }
});
