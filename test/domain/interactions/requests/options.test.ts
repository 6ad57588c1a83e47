import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { CommandOption } from '../../../../src/domain/commands/record.js';
import { DomainError } from '../../../../src/domain/errors.js';
import { InvokedOptions } from '../../../../src/domain/interactions/index.js';
import { nameOfChosen, readOptions } from '../../../../src/domain/interactions/requests/options.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { faultsIn } from '../../../harness/faults-in.js';
import { HOSTILE_OTHERS, HOSTILE_TEXTS } from '../../../harness/hostile-values.js';

const option = (type: Type, facts: Partial<CommandOption> = {}): CommandOption => ({
  type,
  name: 'it',
  description: 'it',
  ...facts,
});

const FILE_IDS = [70n, 71n];

const read = (known: CommandOption[], sent: unknown, purpose: 'run' | 'complete' = 'run') =>
  readOptions(known, parseInput(InvokedOptions, sent, 'options'), purpose, FILE_IDS);

const faultsOf = (...input: Parameters<typeof read>) =>
  read(...input).faults.map(({ path, code }) => `${path} ${code}`);

/** Returns the result for one value: the value itself, or its error code. */
function becomes(known: CommandOption, value: unknown): unknown {
  const { options, faults } = read([known], [{ name: known.name, value }]);
  const [fault] = faults;
  if (fault) {
    expect(fault.path).toBe('options.0.value');
    return fault.code;
  }
  const [given] = options;
  return given && 'value' in given ? given.value : undefined;
}

const GREATEST = 2 ** 53 - 1;

describe('a value', () => {
  it.each<[string, CommandOption, unknown, unknown]>([
    ['of a string is text', option(Type.String), 'hello', 'hello'],
    ['of a string is kept with its blanks', option(Type.String), ' a ', ' a '],
    ['of a string is no number', option(Type.String), 5, 'STRING_TYPE_CONVERT'],
    ['of a string is no boolean', option(Type.String), true, 'STRING_TYPE_CONVERT'],
    ['of a string is long enough', option(Type.String, { min_length: 3 }), 'ab', 'BASE_TYPE_BAD_LENGTH'],
    ['of a string is not too long', option(Type.String, { max_length: 3 }), 'abcd', 'BASE_TYPE_MAX_LENGTH'],
    ['of a string is as long as it may be', option(Type.String, { min_length: 3, max_length: 3 }), 'abc', 'abc'],
    ['of a string is counted in characters', option(Type.String, { max_length: 3 }), '👍👍👍', '👍👍👍'],
    [
      'of a string is counted in characters upwards',
      option(Type.String, { min_length: 2 }),
      '👍',
      'BASE_TYPE_BAD_LENGTH',
    ],
    ['of a string is one of the choices', option(Type.String, { choices: [{ name: 'A', value: 'a' }] }), 'a', 'a'],
    [
      'of a string is nothing but a choice',
      option(Type.String, { choices: [{ name: 'A', value: 'a' }] }),
      'A',
      'BASE_TYPE_CHOICES',
    ],
    ['of an integer is one', option(Type.Integer), 5, 5],
    ['of an integer may be text', option(Type.Integer), '-5', -5],
    ['of an integer is whole', option(Type.Integer), 5.5, 'NUMBER_TYPE_COERCE'],
    ['of an integer is no text of another number', option(Type.Integer), '5.0', 'NUMBER_TYPE_COERCE'],
    ['of an integer is not nothing', option(Type.Integer), '', 'NUMBER_TYPE_COERCE'],
    ['of an integer is no boolean', option(Type.Integer), true, 'NUMBER_TYPE_COERCE'],
    ['of an integer goes up to 2^53 - 1', option(Type.Integer), GREATEST, GREATEST],
    ['of an integer goes down to -2^53 + 1', option(Type.Integer), String(-GREATEST), -GREATEST],
    ['of an integer goes no further', option(Type.Integer), 2 ** 53, 'NUMBER_TYPE_COERCE'],
    ['of an integer goes no further as text', option(Type.Integer), '9007199254740993', 'NUMBER_TYPE_COERCE'],
    ['of an integer goes no further down', option(Type.Integer), -(2 ** 53), 'NUMBER_TYPE_COERCE'],
    ['of an integer may be a long number that is none', option(Type.Integer), 9007199254740993n, 'NUMBER_TYPE_COERCE'],
    ['of an integer is not too small', option(Type.Integer, { min_value: 3 }), 2, 'NUMBER_TYPE_MIN'],
    ['of an integer is not too great', option(Type.Integer, { max_value: 3 }), 4, 'NUMBER_TYPE_MAX'],
    ['of an integer is within its bounds', option(Type.Integer, { min_value: 3, max_value: 3 }), 3, 3],
    ['of an integer is one of the choices', option(Type.Integer, { choices: [{ name: 'A', value: 1 }] }), '1', 1],
    [
      'of an integer is nothing but a choice',
      option(Type.Integer, { choices: [{ name: 'A', value: 1 }] }),
      2,
      'BASE_TYPE_CHOICES',
    ],
    ['of an integer has no negative zero', option(Type.Integer), -0, 0],
    ['of a number is one', option(Type.Number), 5.5, 5.5],
    ['of a number may be text', option(Type.Number), '-5.5e1', -55],
    ['of a number is no other text', option(Type.Number), '0x10', 'NUMBER_TYPE_COERCE'],
    ['of a number is not nothing', option(Type.Number), ' ', 'NUMBER_TYPE_COERCE'],
    ['of a number is finite', option(Type.Number), '1e999', 'NUMBER_TYPE_COERCE'],
    ['of a number goes up to 2^53', option(Type.Number), 2 ** 53, 2 ** 53],
    ['of a number goes no further', option(Type.Number), 2 ** 53 + 2, 'NUMBER_TYPE_COERCE'],
    ['of a number goes no further down', option(Type.Number), -(2 ** 53) - 2, 'NUMBER_TYPE_COERCE'],
    ['of a number is not too small', option(Type.Number, { min_value: 0.5 }), 0.4, 'NUMBER_TYPE_MIN'],
    ['of a number is not too great', option(Type.Number, { max_value: 0.5 }), 0.6, 'NUMBER_TYPE_MAX'],
    [
      'of a number is nothing but a choice',
      option(Type.Number, { choices: [{ name: 'A', value: 1.5 }] }),
      2,
      'BASE_TYPE_CHOICES',
    ],
    ['of a boolean is one', option(Type.Boolean), false, false],
    ['of a boolean is no text', option(Type.Boolean), 'true', 'BOOLEAN_TYPE_CONVERT'],
    ['of a boolean is no number', option(Type.Boolean), 1, 'BOOLEAN_TYPE_CONVERT'],
    ['of a user is an id', option(Type.User), '12345678901234567', '12345678901234567'],
    ['of a user may be a number', option(Type.User), 12345, '12345'],
    ['of a user may be a long number', option(Type.User), 12345678901234567n, '12345678901234567'],
    ['of a user is no name', option(Type.User), 'ada', 'NUMBER_TYPE_COERCE'],
    ['of a user is no boolean', option(Type.User), true, 'NUMBER_TYPE_COERCE'],
    ['of a role is an id', option(Type.Role), 'x', 'NUMBER_TYPE_COERCE'],
    ['of a channel is an id', option(Type.Channel), 1.5, 'NUMBER_TYPE_COERCE'],
    ['of a mentionable is an id', option(Type.Mentionable), '-1', 'NUMBER_TYPE_COERCE'],
    ['of an attachment is the id of the file of this number', option(Type.Attachment), 1, '71'],
    ['of an attachment is a number as text', option(Type.Attachment), '0', '70'],
    ['of an attachment is a file that was sent', option(Type.Attachment), 2, 'ATTACHMENT_NOT_FOUND'],
    ['of an attachment is no number below 0', option(Type.Attachment), -1, 'ATTACHMENT_NOT_FOUND'],
    ['of an attachment is a whole number', option(Type.Attachment), 0.5, 'ATTACHMENT_NOT_FOUND'],
    ['of an attachment is no name', option(Type.Attachment), 'length', 'ATTACHMENT_NOT_FOUND'],
    ['of an attachment is no boolean', option(Type.Attachment), false, 'ATTACHMENT_NOT_FOUND'],
    ['has to be there', option(Type.String), undefined, 'BASE_TYPE_REQUIRED'],
    ['is not null', option(Type.String), null, 'BASE_TYPE_REQUIRED'],
  ])('%s', (_rule, known, value, expected) => {
    expect(becomes(known, value)).toBe(expected);
  });

  it('of an id requests the object behind it', () => {
    const known = [
      option(Type.User, { name: 'u' }),
      option(Type.Role, { name: 'r' }),
      option(Type.Mentionable, { name: 'm' }),
      option(Type.Channel, { name: 'c', channel_types: [0, 2] }),
    ];
    const sent = ['u', 'r', 'm', 'c'].map((name, index) => ({ name, value: String(index + 1) }));
    expect(read(known, sent).wanted).toEqual([
      { kind: 'user', id: 1n, path: 'options.0.value', channelTypes: undefined },
      { kind: 'role', id: 2n, path: 'options.1.value', channelTypes: undefined },
      { kind: 'mentionable', id: 3n, path: 'options.2.value', channelTypes: undefined },
      { kind: 'channel', id: 4n, path: 'options.3.value', channelTypes: [0, 2] },
    ]);
  });
});

const leaf = (name: string, facts: Partial<CommandOption> = {}) => option(Type.String, { name, ...facts });

const MUSIC = [
  option(Type.SubcommandGroup, {
    name: 'queue',
    options: [
      option(Type.Subcommand, { name: 'add', options: [leaf('song', { required: true }), leaf('note')] }),
      option(Type.Subcommand, { name: 'clear' }),
    ],
  }),
  option(Type.Subcommand, { name: 'stop', options: [] }),
];

describe('options', () => {
  it.each<[string, CommandOption[], unknown, string[]]>([
    ['are those of the command', [leaf('a')], [{ name: 'b', value: 'x' }], ['options.0.name BASE_TYPE_CHOICES']],
    [
      'are named as the command names them',
      [leaf('a')],
      [{ name: 'A', value: 'x' }],
      ['options.0.name BASE_TYPE_CHOICES'],
    ],
    ['are none where the command has none', [], [{ name: 'a', value: 'x' }], ['options.0.name BASE_TYPE_CHOICES']],
    [
      'are given once',
      [leaf('a')],
      [
        { name: 'a', value: 'x' },
        { name: 'a', value: 'y' },
      ],
      ['options.1.name SET_TYPE_ALREADY_CONTAINS_VALUE'],
    ],
    [
      'have the type of the command',
      [leaf('a')],
      [{ name: 'a', type: 4, value: 'x' }],
      ['options.0.type BASE_TYPE_CHOICES'],
    ],
    ['may leave their type out', [leaf('a')], [{ name: 'a', value: 'x' }], []],
    ['that are required are given', [leaf('a', { required: true }), leaf('b')], [], ['options BASE_TYPE_REQUIRED']],
    [
      'that are required are given with a value',
      [leaf('a', { required: true })],
      [{ name: 'a' }],
      ['options.0.value BASE_TYPE_REQUIRED'],
    ],
    ['that are not required may be left out', [leaf('a')], [], []],
    ['of a command with subcommands choose one', MUSIC, [], ['options BASE_TYPE_REQUIRED']],
    [
      'of a command with subcommands choose no more than one',
      MUSIC,
      [{ name: 'stop' }, { name: 'queue', options: [{ name: 'clear' }] }],
      ['options BASE_TYPE_BAD_LENGTH'],
    ],
    ['of a group choose one of its subcommands', MUSIC, [{ name: 'queue' }], ['options.0.options BASE_TYPE_REQUIRED']],
    [
      'of a subcommand are its own',
      MUSIC,
      [{ name: 'stop', options: [{ name: 'song', value: 'x' }] }],
      ['options.0.options.0.name BASE_TYPE_CHOICES'],
    ],
    [
      'of a subcommand that are required are given',
      MUSIC,
      [{ name: 'queue', options: [{ name: 'add' }] }],
      ['options.0.options.0.options BASE_TYPE_REQUIRED'],
    ],
    [
      'of a subcommand have their faults where they stand',
      MUSIC,
      [
        {
          name: 'queue',
          options: [
            {
              name: 'add',
              options: [
                { name: 'note', value: 'n' },
                { name: 'song', value: 5 },
              ],
            },
          ],
        },
      ],
      ['options.0.options.0.options.1.value STRING_TYPE_CONVERT'],
    ],
    ['may leave out what a subcommand does not require', MUSIC, [{ name: 'stop' }], []],
    [
      'of a subcommand have values, and the subcommand has none',
      MUSIC,
      [
        {
          name: 'queue',
          value: 'x',
          options: [{ name: 'add', value: false, options: [{ name: 'song', value: 's' }] }],
        },
      ],
      ['options.0.value BASE_TYPE_INVALID', 'options.0.options.0.value BASE_TYPE_INVALID'],
    ],
    [
      'have no options themselves where they take a value',
      [leaf('a')],
      [{ name: 'a', value: 'x', options: [{ name: 'b', value: 'y' }] }],
      ['options.0.options BASE_TYPE_INVALID'],
    ],
    [
      'are not focused when the command is run',
      [leaf('a', { autocomplete: true })],
      [{ name: 'a', value: 'x', focused: true }],
      ['options.0.focused BASE_TYPE_INVALID'],
    ],
    ['may say that none of them is focused', [leaf('a')], [{ name: 'a', value: 'x', focused: false, options: [] }], []],
    [
      'are refused for all that is wrong with them',
      [leaf('a', { required: true }), option(Type.Integer, { name: 'b' })],
      [{ name: 'b', value: 'x' }, { name: 'c' }],
      ['options BASE_TYPE_REQUIRED', 'options.0.value NUMBER_TYPE_COERCE', 'options.1.name BASE_TYPE_CHOICES'],
    ],
  ])('%s', (_rule, known, sent, expected) => {
    expect(faultsOf(known, sent)).toEqual(expected);
  });

  it('are returned with their types, in the order in which they were sent', () => {
    const sent = [
      {
        name: 'queue',
        options: [
          {
            name: 'add',
            options: [
              { name: 'note', value: 'n' },
              { name: 'song', value: 's' },
            ],
          },
        ],
      },
    ];
    const { options } = read(MUSIC, sent);
    expect(options).toEqual([
      {
        name: 'queue',
        type: 2,
        options: [
          {
            name: 'add',
            type: 1,
            options: [
              { name: 'note', type: 3, value: 'n' },
              { name: 'song', type: 3, value: 's' },
            ],
          },
        ],
      },
    ]);
    expect(nameOfChosen('music', options)).toBe('music queue add');
    expect(nameOfChosen('echo', read([leaf('a')], [{ name: 'a', value: 'x' }]).options)).toBe('echo');
  });
});

describe('an autocompletion', () => {
  const known = [
    leaf('a', { autocomplete: true, min_length: 5 }),
    option(Type.Integer, { name: 'n', autocomplete: true, required: true }),
    option(Type.User, { name: 'u', required: true }),
    leaf('t', { min_length: 5, required: true }),
  ];

  test.each<[string, unknown, string[], CommandOption[]?]>([
    ['has one focused option', [{ name: 'a', value: 'x' }], ['options BASE_TYPE_BAD_LENGTH']],
    [
      'has no more than one',
      [
        { name: 'a', value: 'x', focused: true },
        { name: 'n', value: '1', focused: true },
      ],
      ['options BASE_TYPE_BAD_LENGTH'],
    ],
    [
      'is of an option that has it',
      [{ name: 't', value: 'x', focused: true }],
      ['options.0.focused BASE_TYPE_INVALID'],
    ],
    [
      'knows its options',
      [{ name: 'a', value: 'x', focused: true }, { name: 'z' }],
      ['options.1.name BASE_TYPE_CHOICES'],
    ],
    [
      'is not of a subcommand',
      [{ name: 's', focused: true, options: [{ name: 'a', value: 'x', focused: true }] }],
      ['options.0.focused BASE_TYPE_INVALID'],
      [option(Type.Subcommand, { name: 's', options: known })],
    ],
    ['needs none of the others', [{ name: 'a', value: 'x', focused: true }], []],
  ])('%s', (_rule, sent, expected, of = known) => {
    expect(faultsOf(of, sent, 'complete')).toEqual(expected);
  });

  it('passes the typed text on, regardless of the type', () => {
    const typed = (sent: object) => read(known, [{ ...sent, focused: true }], 'complete').options;
    expect(typed({ name: 'a', value: 'x' })).toEqual([{ name: 'a', type: 3, value: 'x', focused: true }]);
    expect(typed({ name: 'n', value: '1x' })).toEqual([{ name: 'n', type: 4, value: '1x', focused: true }]);
    expect(typed({ name: 'n', value: 12 })).toEqual([{ name: 'n', type: 4, value: '12', focused: true }]);
    expect(typed({ name: 'n' })).toEqual([{ name: 'n', type: 4, value: '', focused: true }]);
  });

  it('passes other options on if they are valid, and omits the rest', () => {
    const sent = [
      { name: 'a', value: 'x', focused: true },
      { name: 't', value: 'sho' },
      { name: 'n', value: 'many' },
      { name: 'u', value: 'nobody' },
    ];
    const { options, wanted } = read(known, sent, 'complete');
    expect(options).toEqual([
      { name: 'a', type: 3, value: 'x', focused: true },
      { name: 't', type: 3, value: 'sho' },
    ]);
    expect(wanted).toEqual([]);
  });

  it('finds the focused option in a subcommand', () => {
    const inGroup = [option(Type.Subcommand, { name: 's', options: known })];
    const sent = [{ name: 's', options: [{ name: 'a', value: 'x', focused: true }] }];
    expect(faultsOf(inGroup, sent, 'complete')).toEqual([]);
  });
});

describe('the options of a request', () => {
  it.each<[string, unknown, string[]]>([
    ['is a list', {}, ['options LIST_TYPE_CONVERT']],
    ['is of at most 25', Array.from({ length: 26 }, () => ({ name: 'a' })), ['options BASE_TYPE_BAD_LENGTH']],
    ['has names', [{ value: 'x' }], ['options.0.name BASE_TYPE_REQUIRED']],
    ['has values of JSON', [{ name: 'a', value: {} }], ['options.0.value BASE_TYPE_INVALID']],
    ['holds no U+0000', [{ name: 'a', value: 'a\u0000' }], ['options.0.value STRING_TYPE_REGEX']],
    ['has no names with U+0000', [{ name: 'a\u0000' }], ['options.0.name STRING_TYPE_REGEX']],
    [
      'is no longer than 6000 characters each',
      [{ name: 'a', value: 'x'.repeat(6_001) }],
      ['options.0.value BASE_TYPE_MAX_LENGTH'],
    ],
    ['may be 6000 characters long', [{ name: 'a', value: '👍'.repeat(6_000) }], []],
    ['may have unknown fields', [{ name: 'a', value: 'x', later: { than: 'us' } }], []],
  ])('%s', (_rule, sent, expected) => {
    expect(faultsIn(InvokedOptions, sent, 'options').map(({ path, code }) => `${path} ${code}`)).toEqual(expected);
  });

  it('have their lone surrogates replaced', () => {
    expect(parseInput(InvokedOptions, [{ name: 'a', value: 'x\ud800' }])).toMatchObject([{ value: 'x\ufffd' }]);
  });
});

const parameterWithValue = fc
  .record({ name: fc.stringMatching(/^[a-z]{1,32}$/), required: fc.boolean() })
  .chain((facts) =>
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 50 }).map((value) => {
        const length = [...value].length;
        return [option(Type.String, { ...facts, min_length: length, max_length: Math.max(length, 1) }), value] as const;
      }),
      fc
        .maxSafeInteger()
        .map((value) => [option(Type.Integer, { ...facts, min_value: value, max_value: value }), value] as const),
      fc
        .double({ min: -(2 ** 53), max: 2 ** 53, noNaN: true })
        .map((value) => [option(Type.Number, { ...facts, min_value: value }), value + 0] as const),
      fc.boolean().map((value) => [option(Type.Boolean, facts), value] as const),
      fc
        .tuple(fc.constantFrom(Type.User, Type.Role, Type.Channel, Type.Mentionable), fc.bigInt(0n, 2n ** 63n - 1n))
        .map(([type, id]) => [option(type, facts), String(id)] as const),
      fc
        .uniqueArray(fc.integer(), { minLength: 1, maxLength: 25 })
        .map(
          (values) =>
            [
              option(Type.Integer, { ...facts, choices: values.map((value) => ({ name: 'c', value })) }),
              values[0]!,
            ] as const,
        ),
    ),
  );

const parameters = fc
  .uniqueArray(parameterWithValue, { maxLength: 25, selector: ([{ name }]) => name })
  .map((pairs) => ({
    known: pairs.map(([known]) => known),
    given: pairs.map(([{ name, type }, value]) => ({ name, type, value })),
  }));

const command = fc.oneof(
  parameters,
  fc.tuple(fc.constantFrom('run', 'go'), parameters).map(([name, { known, given }]) => ({
    known: [option(Type.Subcommand, { name, options: known }), option(Type.Subcommand, { name: 'other' })],
    given: [{ name, type: Type.Subcommand, options: given }],
  })),
  fc.tuple(fc.constantFrom('run', 'go'), parameters).map(([name, { known, given }]) => ({
    known: [option(Type.SubcommandGroup, { name, options: [option(Type.Subcommand, { name, options: known })] })],
    given: [{ name, type: Type.SubcommandGroup, options: [{ name, type: Type.Subcommand, options: given }] }],
  })),
);

describe('for any command', () => {
  it('valid options are returned as they were sent', () => {
    fc.assert(
      fc.property(command, ({ known, given }) => {
        const { options, faults } = read(known, JSON.parse(JSON.stringify(given)));
        expect(faults).toEqual([]);
        expect(options).toEqual(given);
      }),
      { numRuns: 300 },
    );
  });

  const optionLike = fc.letrec((tie) => ({
    options: fc.array(
      fc.record(
        {
          name: fc.oneof(fc.constantFrom('queue', 'add', 'song', 'stop'), fc.anything()),
          type: fc.anything(),
          value: fc.anything(),
          focused: fc.anything(),
          options: fc.oneof({ depthSize: 'small' }, fc.anything(), tie('options')),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 4 },
    ),
  })).options;

  it('anything else is refused as invalid input, without a crash', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), optionLike), (sent) => {
        for (const purpose of ['run', 'complete'] as const) {
          try {
            read(MUSIC, sent, purpose);
          } catch (error) {
            expect(error).toBeInstanceOf(DomainError);
            expect(error).toMatchObject({ code: 'INVALID_INPUT' });
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([...HOSTILE_TEXTS, ...HOSTILE_OTHERS].map((value) => [value]))('%j causes no crash either', (value) => {
    for (const type of [Type.String, Type.Integer, Type.Boolean, Type.User, Type.Number]) {
      try {
        read([option(type)], [{ name: 'it', value }]);
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_INPUT' });
      }
    }
  });
});
