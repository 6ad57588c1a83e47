import { ApplicationCommandOptionType as OptionType, ApplicationCommandType as Type } from 'discord-api-types/v10';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CommandSet, NewCommand } from '../../../src/domain/commands/body.js';
import { LOCALES } from '../../../src/domain/commands/index.js';
import { parseInput, parseInTurns } from '../../../src/domain/parse-input.js';
import { faultsIn, faultsInTurns } from '../../harness/faults-in.js';
import { turnsDuring } from '../../harness/turns.js';

type Loose = Record<string, unknown>;

const chat = (more: Loose = {}) => ({ name: 'play', description: 'Plays a song', ...more });
const option = (more: Loose = {}) => ({ type: OptionType.String, name: 'song', description: 'Which', ...more });
const withOption = (more: Loose) => chat({ options: [option(more)] });
const choice = (more: Loose = {}) => ({ name: 'A song', value: 'a', ...more });
const list = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, n) => make(n));
const text = (length: number) => 'x'.repeat(length);

/** The errors of a command as `path code`. */
const faults = (body: unknown) => faultsIn(NewCommand, body).map(({ path, code }) => `${path} ${code}`);

describe('a command is accepted', () => {
  test.each<[string, Loose]>([
    ['with a name and a description', chat()],
    ['with a name of 32 letters', chat({ name: text(32) })],
    ['with an apostrophe, a hyphen, an underscore and digits in its name', chat({ name: "it's-a_b1" })],
    ['with a name in a script without cases', chat({ name: '日本語' })],
    ['with a name in Devanagari, vowel signs included', chat({ name: 'हिन्दी' })],
    ['with a name in Thai, tone marks included', chat({ name: 'ภาษาไทยก้' })],
    ['with a type that is null', chat({ type: null })],
    ['with unknown fields', chat({ future: { a: 1 }, handler: 1, version: '1', id: '2' })],
    [
      'with null for everything that may be left out',
      chat({
        ...{ name_localizations: null, description_localizations: null, options: null, nsfw: null, contexts: null },
        ...{ default_member_permissions: null, dm_permission: null, default_permission: null, integration_types: null },
      }),
    ],
    ['with empty translations', chat({ name_localizations: {}, description_localizations: { de: null } })],
    ['with deprecated switches', chat({ default_permission: false, dm_permission: true })],
    ['with 25 options', chat({ options: list(25, (n) => option({ name: `o${n}` })) })],
    ['with 25 choices', withOption({ choices: list(25, (n) => choice({ name: `c${n}` })) })],
    ['with an empty text as a choice', withOption({ choices: [choice({ value: '' })] })],
    ['with a length from 0 to 6000', withOption({ min_length: 0, max_length: 6000 })],
    ['with autocomplete and an empty list of choices', withOption({ autocomplete: true, choices: [] })],
    [
      'with what says nothing where it does not belong',
      withOption({
        ...{ type: OptionType.Boolean, choices: [], options: null, channel_types: [], autocomplete: false },
        ...{ min_value: null, max_length: null, file_types: [] },
      }),
    ],
    ['with an empty group of subcommands', withOption({ type: OptionType.SubcommandGroup })],
    [
      'with the same option in two subcommands',
      chat({
        options: ['a', 'b'].map((name) => option({ type: OptionType.Subcommand, name, options: [option()] })),
      }),
    ],
    ['of a user, with spaces and capitals in its name', { type: Type.User, name: 'Report This User' }],
    [
      'of a message, with an empty description and no options',
      { type: Type.Message, name: 'Quote', description: '', options: [] },
    ],
    ['whose name only begins with a reserved one', chat({ name: 'banish' })],
    ['whose name ends with a reserved one', chat({ name: 'server-info' })],
  ])('%s', (_words, body) => {
    expect(faults(body)).toEqual([]);
  });
});

describe('a command is refused', () => {
  test('with a message that lists the allowed characters of a name', () => {
    expect(faultsIn(NewCommand, chat({ name: 'play it' }))[0]?.message).toMatch(
      /^String value did not match validation regex\. Names can contain letters, digits,/,
    );
  });

  test.each<[string, unknown, ...string[]]>([
    ['that is none', 'play', ' MODEL_TYPE_CONVERT'],
    ['without name and description', {}, 'name BASE_TYPE_REQUIRED', 'description BASE_TYPE_REQUIRED'],
    ['with an empty name', chat({ name: '' }), 'name BASE_TYPE_BAD_LENGTH'],
    ['with a name of 33 letters', chat({ name: text(33) }), 'name BASE_TYPE_BAD_LENGTH'],
    ['with a space in its name', chat({ name: 'play it' }), 'name STRING_TYPE_REGEX'],
    ['with a sign in its name', chat({ name: 'play!' }), 'name STRING_TYPE_REGEX'],
    ['with capitals in its name', chat({ name: 'Play' }), 'name APPLICATION_COMMAND_INVALID_NAME'],
    ['with capitals of another script', chat({ name: 'Ωmega' }), 'name APPLICATION_COMMAND_INVALID_NAME'],
    ['with U+0000 in its name', chat({ name: 'a\u0000' }), 'name STRING_TYPE_REGEX'],
    ['with a number as its name', chat({ name: 7 }), 'name STRING_TYPE_CONVERT'],
    ['with an empty description', chat({ description: ' ' }), 'description BASE_TYPE_BAD_LENGTH'],
    ['with a description of 101 letters', chat({ description: text(101) }), 'description BASE_TYPE_BAD_LENGTH'],
    ['as an entry point', chat({ type: 4, handler: 2 }), 'type BASE_TYPE_CHOICES'],
    ['with a type as text', chat({ type: '1' }), 'type BASE_TYPE_CHOICES'],
    ['of a user, with a description', { type: 2, name: 'A', description: 'B' }, 'description BASE_TYPE_BAD_LENGTH'],
    ['of a user, with options', { type: 2, name: 'A', options: [option()] }, 'options BASE_TYPE_BAD_LENGTH'],
    [
      'of a user, with a translated description',
      { type: 2, name: 'A', description_localizations: { de: 'B' } },
      'description_localizations.de BASE_TYPE_INVALID',
    ],
    ['of a message, with a name of 33 letters', { type: 3, name: text(33) }, 'name BASE_TYPE_BAD_LENGTH'],
    ['of a message, with a blank name', { type: 3, name: '  ' }, 'name BASE_TYPE_BAD_LENGTH'],
    [
      'with permissions that are no number',
      chat({ default_member_permissions: 'all' }),
      'default_member_permissions NUMBER_TYPE_COERCE',
    ],
    [
      'with permissions below zero',
      chat({ default_member_permissions: -1 }),
      'default_member_permissions NUMBER_TYPE_COERCE',
    ],
    ['with a context that there is not', chat({ contexts: [3] }), 'contexts.0 BASE_TYPE_CHOICES'],
    ['with no context at all', chat({ contexts: [] }), 'contexts BASE_TYPE_BAD_LENGTH'],
    [
      'with an install context that there is not',
      chat({ integration_types: ['0'] }),
      'integration_types.0 BASE_TYPE_CHOICES',
    ],
    ['with nsfw as text', chat({ nsfw: 'yes' }), 'nsfw BOOLEAN_TYPE_CONVERT'],
    [
      'translated to a language that there is not',
      chat({ name_localizations: { xx: 'a' } }),
      'name_localizations.xx BASE_TYPE_INVALID',
    ],
    [
      'translated to a language that every object has',
      chat({ name_localizations: JSON.parse('{"__proto__":"a","de":"b"}') }),
      'name_localizations.__proto__ BASE_TYPE_INVALID',
    ],
    [
      'with a translated name that breaks the rules of names',
      chat({ name_localizations: { de: 'Spiel' } }),
      'name_localizations.de APPLICATION_COMMAND_INVALID_NAME',
    ],
    [
      'with a translated description of 101 letters',
      chat({ description_localizations: { de: text(101) } }),
      'description_localizations.de BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a translated name of 33 letters',
      chat({ name_localizations: { de: text(33) } }),
      'name_localizations.de BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a translated name of an option that breaks the rules of names',
      withOption({ name_localizations: { de: 'a b', fr: text(33) } }),
      'options.0.name_localizations.de STRING_TYPE_REGEX',
      'options.0.name_localizations.fr BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a translated description of an option of 101 letters, and with an empty one',
      withOption({ description_localizations: { de: text(101), fr: '' } }),
      'options.0.description_localizations.de BASE_TYPE_BAD_LENGTH',
      'options.0.description_localizations.fr BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a translated name of a choice of 101 letters',
      withOption({ choices: [choice({ name_localizations: { de: text(101) } })] }),
      'options.0.choices.0.name_localizations.de BASE_TYPE_BAD_LENGTH',
    ],
    ['with 26 options', chat({ options: list(26, (n) => option({ name: `o${n}` })) }), 'options BASE_TYPE_BAD_LENGTH'],
    ['with options that are no list', chat({ options: { 0: option() } }), 'options LIST_TYPE_CONVERT'],
    ['with an option that is none', chat({ options: [5] }), 'options.0 MODEL_TYPE_CONVERT'],
    ['with an option without a type', withOption({ type: undefined }), 'options.0.type BASE_TYPE_REQUIRED'],
    ['with an option of a type that there is not', withOption({ type: 12 }), 'options.0.type BASE_TYPE_CHOICES'],
    ['with an option without a name', withOption({ name: null }), 'options.0.name BASE_TYPE_REQUIRED'],
    ['with an option with a bad name', withOption({ name: 'A song' }), 'options.0.name STRING_TYPE_REGEX'],
    [
      'with an option without a description',
      withOption({ description: undefined }),
      'options.0.description BASE_TYPE_REQUIRED',
    ],
    ['with 26 choices', withOption({ choices: list(26, () => choice()) }), 'options.0.choices BASE_TYPE_BAD_LENGTH'],
    [
      'with a choice without a name',
      withOption({ choices: [choice(), choice({ name: '' })] }),
      'options.0.choices.1.name BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a choice with a name of 101 letters',
      withOption({ choices: [choice({ name: text(101) })] }),
      'options.0.choices.0.name BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a text of 101 letters as a choice',
      withOption({ choices: [choice({ value: text(101) })] }),
      'options.0.choices.0.value BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with a number as a choice of text',
      withOption({ choices: [choice({ value: 1 })] }),
      'options.0.choices.0.value STRING_TYPE_CONVERT',
    ],
    [
      'with a text as a choice of whole numbers',
      withOption({ type: OptionType.Integer, choices: [choice()] }),
      'options.0.choices.0.value NUMBER_TYPE_COERCE',
    ],
    [
      'with a fraction as a choice of whole numbers',
      withOption({ type: OptionType.Integer, choices: [choice({ value: 1.5 })] }),
      'options.0.choices.0.value NUMBER_TYPE_COERCE',
    ],
    [
      'with 2^53 as a choice of whole numbers',
      withOption({ type: OptionType.Integer, choices: [choice({ value: 2n ** 53n })] }),
      'options.0.choices.0.value NUMBER_TYPE_MAX',
    ],
    [
      'with more than 2^53 as a choice of numbers',
      withOption({ type: OptionType.Number, choices: [choice({ value: 2 ** 54 })] }),
      'options.0.choices.0.value NUMBER_TYPE_MAX',
    ],
    [
      'with choices and autocomplete',
      withOption({ choices: [choice()], autocomplete: true }),
      'options.0.autocomplete BASE_TYPE_INVALID',
    ],
    [
      'with autocomplete of a switch',
      withOption({ type: OptionType.Boolean, autocomplete: true }),
      'options.0.autocomplete BASE_TYPE_INVALID',
    ],
    [
      'with choices of users',
      withOption({ type: OptionType.User, choices: [choice()] }),
      'options.0.choices BASE_TYPE_INVALID',
    ],
    ['with a least number of a text', withOption({ min_value: 1 }), 'options.0.min_value BASE_TYPE_INVALID'],
    [
      'with a least length of a number',
      withOption({ type: OptionType.Integer, min_length: 1 }),
      'options.0.min_length BASE_TYPE_INVALID',
    ],
    ['with a least length below 0', withOption({ min_length: -1 }), 'options.0.min_length NUMBER_TYPE_MIN'],
    ['with a greatest length of 0', withOption({ max_length: 0 }), 'options.0.max_length NUMBER_TYPE_MIN'],
    ['with a greatest length of 6001', withOption({ max_length: 6001 }), 'options.0.max_length NUMBER_TYPE_MAX'],
    [
      'with a least length above the greatest',
      withOption({ min_length: 3, max_length: 2 }),
      'options.0.min_length NUMBER_TYPE_MAX',
    ],
    [
      'with a least number above the greatest',
      withOption({ type: OptionType.Number, min_value: 0.2, max_value: 0.1 }),
      'options.0.min_value NUMBER_TYPE_MAX',
    ],
    [
      'with a fraction as a least whole number',
      withOption({ type: OptionType.Integer, min_value: 0.5 }),
      'options.0.min_value NUMBER_TYPE_COERCE',
    ],
    [
      'with kinds of channels of a text',
      withOption({ channel_types: [0] }),
      'options.0.channel_types BASE_TYPE_INVALID',
    ],
    [
      'with a kind of channel that there is not',
      withOption({ type: OptionType.Channel, channel_types: [99] }),
      'options.0.channel_types.0 BASE_TYPE_CHOICES',
    ],
    ['with file types of a text', withOption({ file_types: ['image'] }), 'options.0.file_types BASE_TYPE_INVALID'],
    [
      'with a file type that is none',
      withOption({ type: OptionType.Attachment, file_types: ['.pdf', 'pdf'] }),
      'options.0.file_types.1 STRING_TYPE_REGEX',
    ],
    [
      'with 11 file types',
      withOption({ type: OptionType.Attachment, file_types: list(11, (n) => `.f${n}`) }),
      'options.0.file_types BASE_TYPE_BAD_LENGTH',
    ],
    ['with options inside a plain option', withOption({ options: [option()] }), 'options.0.options BASE_TYPE_INVALID'],
    [
      'with a required option behind one that is not',
      chat({ options: [option(), option({ name: 'b', required: true })] }),
      'options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ],
    [
      'with a required option behind one that is not, in a subcommand',
      withOption({ type: OptionType.Subcommand, options: [option(), option({ name: 'b', required: true })] }),
      'options.0.options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ],
    [
      'with two options of one name',
      chat({ options: [option(), option()] }),
      'options.1.name APPLICATION_COMMAND_OPTION_NAME_DUPLICATE',
    ],
    [
      'with two options of one name in a language',
      chat({
        options: [
          option({ name_localizations: { de: 'lied' } }),
          option({ name: 'b', name_localizations: { fr: 'lied', de: 'lied' } }),
        ],
      }),
      'options.1.name_localizations.de APPLICATION_COMMAND_OPTION_NAME_DUPLICATE',
    ],
    [
      'with an option that is called as another one is without translation',
      chat({ options: [option({ name_localizations: { de: 'b' } }), option({ name: 'b' })] }),
      'options.0.name_localizations.de APPLICATION_COMMAND_OPTION_NAME_DUPLICATE',
    ],
    [
      'with a subcommand next to a plain option',
      chat({ options: [option(), option({ type: OptionType.Subcommand, name: 'b' })] }),
      'options.1 APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
    ],
    [
      'with a group in a group',
      withOption({ type: OptionType.SubcommandGroup, options: [option({ type: OptionType.SubcommandGroup })] }),
      'options.0.options.0.type BASE_TYPE_CHOICES',
    ],
    [
      'with a plain option in a group',
      withOption({ type: OptionType.SubcommandGroup, options: [option()] }),
      'options.0.options.0.type BASE_TYPE_CHOICES',
    ],
    [
      'with a subcommand in a subcommand',
      withOption({ type: OptionType.Subcommand, options: [option({ type: OptionType.Subcommand })] }),
      'options.0.options.0.type BASE_TYPE_CHOICES',
    ],
  ])('%s', (_words, body, ...expected) => {
    expect(faults(body)).toEqual(expected);
  });
});

describe('the size of a command', () => {
  const fullChoices: Loose[] = list(9, () => choice({ name: text(60), value: text(40) }));
  /** 7,708 characters: 8 options of 963 each, and 4 of the command. */
  const full = list(8, (n) =>
    option({
      name: `o${n}`,
      description: text(61),
      choices: fullChoices,
    }),
  );
  const sized = (more: number, options: object[] = full) =>
    chat({ name: 'n', description: text(3), options: [...options, ...filling(more)] });
  const filling = (characters: number) =>
    list(Math.ceil(characters / 101), (n) => {
      const left = Math.min(101, characters - n * 101);
      return option({ name: String.fromCharCode(97 + n), description: text(left - 1) });
    });

  test('is at most 8000 characters of names, descriptions and values together', () => {
    expect(faults(sized(292))).toEqual([]);
    expect(faults(sized(293))).toEqual([' APPLICATION_COMMAND_TOO_LARGE']);
  });

  test('counts only the longest translation of each text', () => {
    const translated = full.map((one) => ({
      ...one,
      description_localizations: { de: text(60), fr: text(61), it: text(5) },
    }));
    expect(faults(sized(292, translated))).toEqual([]);
    const longer = full.map((one) => ({ ...one, description_localizations: { de: text(99), fr: text(98) } }));
    expect(faults(sized(0, longer))).toEqual([' APPLICATION_COMMAND_TOO_LARGE']);
  });

  const [first, ...others] = full;
  const translatedChoice = { ...fullChoices[0], name_localizations: { de: text(61) } };
  test.each<[string, Loose, Loose?]>([
    ['the name', { name_localizations: { de: text(2) } }],
    ['the description', { description_localizations: { de: text(4) } }],
    ['the name of an option', {}, { name_localizations: { de: 'abc' } }],
    ['the description of an option', {}, { description_localizations: { de: text(62) } }],
    ['the name of a choice', {}, { choices: fullChoices.with(0, translatedChoice) }],
  ])('counts a longer translation of %s', (_text, ofCommand, ofOption = {}) => {
    const body = sized(292, [{ ...first, ...ofOption }, ...others]);
    expect(faults({ ...body, ...ofCommand })).toEqual([' APPLICATION_COMMAND_TOO_LARGE']);
  });

  test('is checked before the parts, at any depth', () => {
    const parts = (make: () => object) => list(25, make);
    const leaves = () => ({ type: OptionType.Subcommand, options: parts(() => ({})) });
    const groups = parts(() => ({ type: OptionType.SubcommandGroup, options: parts(leaves) }));
    expect(faults(chat({ options: groups }))).toEqual([' APPLICATION_COMMAND_TOO_LARGE']);
    const deep = JSON.parse(`${'{"options":['.repeat(50_000)}${']}'.repeat(50_000)}`);
    expect(faults(chat({ options: [deep] }))).toContain('options.0.type BASE_TYPE_REQUIRED');
  });

  test('counts numbers as they are written', () => {
    const numbers = (value: number) => [
      option({
        type: OptionType.Integer,
        name: 'n',
        description: text(200 - 1 - 100 - 1),
        choices: [choice({ name: text(100 - String(value).length + 1), value })],
      }),
    ];
    expect(faults(sized(92, [...full, ...numbers(-12)]))).toEqual([]);
    expect(faults(sized(93, [...full, ...numbers(-12)]))).toEqual([' APPLICATION_COMMAND_TOO_LARGE']);
  });
});

test('validation stops after 100 errors', () => {
  const translations = Object.fromEntries(LOCALES.map((locale) => [locale, '']));
  let looked = 0;
  const counted = () => ({
    ...option({ name_localizations: translations }),
    get type() {
      looked += 1;
      return OptionType.String;
    },
  });
  const subcommand = () => option({ type: OptionType.Subcommand, options: list(10, counted) });
  const body = chat({
    options: list(25, () => option({ type: OptionType.SubcommandGroup, options: list(25, subcommand) })),
  });
  expect(faults(body)).toHaveLength(100);
  expect(looked).toBeLessThan(100);
});

describe('a reserved name', () => {
  const told = (body: unknown) => {
    try {
      parseInput(NewCommand, body);
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
    return null;
  };

  test.each([
    [chat({ name: 'ban' }), 'ban'],
    [chat({ name: ' Ban\t' }), 'Ban'],
    [chat({ name: '8BALL' }), '8BALL'],
    [{ name: 'LENNY', type: 2 }, 'LENNY'],
    [{ name: ' Poll ', type: 3 }, 'Poll'],
    [chat({ name_localizations: { de: 'Kick' } }), 'Kick'],
    [{ name: 'ban' }, 'ban'],
  ])('%j is refused by name', (body, name) => {
    expect(told(body)).toBe(
      `Command names reserved for built-in commands: "${name}". Rename them, or ask the operator of this instance to set BUILT_IN_COMMANDS=off.`,
    );
    expect(faultsIn(NewCommand, body)[0]).toMatchObject({ code: 'APPLICATION_COMMAND_NAME_RESERVED' });
  });

  test('is refused for a command, but not for an option', () => {
    expect(faults(withOption({ name: 'ban' }))).toEqual([]);
  });
});

describe('the stored form of a command', () => {
  test('omits a translation that equals the original text', () => {
    const body = chat({
      name_localizations: { de: 'play', fr: 'jouer', it: null },
      description_localizations: { de: 'Plays a song' },
      options: [
        option({
          name_localizations: { de: 'song' },
          choices: [choice({ name_localizations: { de: 'A song', fr: 'b' } })],
        }),
      ],
    });
    expect(parseInput(NewCommand, body)).toMatchObject({
      nameLocalizations: { fr: 'jouer' },
      descriptionLocalizations: null,
      options: [
        {
          type: 3,
          name: 'song',
          description: 'Which',
          choices: [{ name: 'A song', name_localizations: { fr: 'b' }, value: 'a' }],
        },
      ],
    });
    expect(parseInput(NewCommand, body).options[0]).not.toHaveProperty('name_localizations');
  });

  test.each([
    [undefined, null],
    [null, null],
    ['8', '8'],
    [8, '8'],
    ['0008', '8'],
    ['0', '0'],
    ['9'.repeat(32), '9'.repeat(32)],
  ])('has for the permissions %j the value %j', (given, kept) => {
    expect(parseInput(NewCommand, chat({ default_member_permissions: given })).defaultMemberPermissions).toBe(kept);
  });

  test.each([
    [{}, null],
    [{ dm_permission: true }, null],
    [{ dm_permission: false }, [0]],
    [{ contexts: null, dm_permission: false }, [0]],
    [{ contexts: [0, 1, 1], dm_permission: false }, [0, 1]],
    [{ contexts: [2] }, [2]],
  ])('has for %j the contexts %j', (given, contexts) => {
    expect(parseInput(NewCommand, chat(given)).contexts).toEqual(contexts);
  });

  test('has file types in lower case, and each channel type once', () => {
    const body = chat({
      options: [
        option({ type: OptionType.Attachment, file_types: ['.PDF', 'image', '.pdf'] }),
        option({ type: OptionType.Channel, name: 'where', channel_types: [0, 5, 0] }),
      ],
    });
    expect(parseInput(NewCommand, body).options).toMatchObject([
      { file_types: ['.pdf', 'image'] },
      { channel_types: [0, 5] },
    ]);
  });

  test('omits whether a subcommand is required', () => {
    const body = withOption({ type: OptionType.Subcommand, required: true });
    expect(parseInput(NewCommand, body).options[0]).not.toHaveProperty('required');
  });
});

describe('a set of commands', () => {
  const setFaults = async (set: unknown) =>
    (await faultsInTurns(CommandSet, set)).map(({ path, code }) => `${path} ${code}`);

  test('has its errors under the index of each command', async () => {
    expect(await setFaults([chat(), chat({ name: 'A' }), {}])).toEqual([
      '1.name APPLICATION_COMMAND_INVALID_NAME',
      '2.name BASE_TYPE_REQUIRED',
      '2.description BASE_TYPE_REQUIRED',
    ]);
  });

  test('is refused if two commands have one type and name', async () => {
    expect(await setFaults([chat(), { name: 'play', type: 2 }])).toEqual([]);
    expect(await setFaults([chat(), { name: 'play', type: 2 }, chat({ type: 1 })])).toEqual([
      '2 APPLICATION_COMMANDS_DUPLICATE_NAME',
    ]);
  });

  test('is not validated further after a hundred errors', async () => {
    const bad = list(130, () => ({ type: 1, options: [{}, {}] }));
    expect(await setFaults(bad)).toHaveLength(100);
  });

  test('has at most 130 commands, which are counted first', async () => {
    expect(await setFaults(list(131, () => 'nothing'))).toEqual([' BASE_TYPE_BAD_LENGTH']);
  });

  test('is validated in batches that yield to the event loop', async () => {
    const set = list(100, (n) => chat({ name: `c${n}` }));
    expect(await turnsDuring(() => parseInTurns(CommandSet, set))).toBeGreaterThanOrEqual(20);
  });

  test('names all reserved names in its error, each once', async () => {
    const set = [chat(), chat({ name: 'Afk' }), chat({ name: 'ban' }), { name: 'ban', type: 2 }];
    await expect(parseInTurns(CommandSet, set)).rejects.toThrow(
      'Command names reserved for built-in commands: "Afk", "ban". Rename them, or ask the operator',
    );
    expect(await setFaults(set)).toEqual([1, 2, 3].map((at) => `${at}.name APPLICATION_COMMAND_NAME_RESERVED`));
  });
});

test('any input is either accepted or refused', async () => {
  const leaf = fc.oneof(fc.jsonValue(), fc.constantFrom('', '\u0000', '\ud800', 2n ** 60n, 1, 3, 'play'));
  const fields = fc.constantFrom(
    'name',
    'description',
    'options',
    'choices',
    'type',
    'name_localizations',
    'contexts',
    'min_value',
    'de',
  );
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fields, tie('value'), { maxKeys: 6 }),
    ),
  })).value;
  await fc.assert(
    fc.asyncProperty(value, async (body) => {
      faultsIn(NewCommand, body);
      await faultsInTurns(CommandSet, [body]);
    }),
    { numRuns: 300 },
  );
});
