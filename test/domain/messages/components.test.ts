import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findComponent, messageComponents } from '../../../src/domain/messages/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import { faultsIn } from '../../harness/faults-in.js';

const faultsOf = (value: unknown) =>
  faultsIn(messageComponents, value).map(({ path, code }) => `${path} ${code}`.trim());
const parsed = (value: unknown) => parseInput(messageComponents, value);

const BAD_LENGTH = 'BASE_TYPE_BAD_LENGTH';
const TOO_LONG = 'BASE_TYPE_MAX_LENGTH';
const CHOICES = 'BASE_TYPE_CHOICES';
const REQUIRED = 'BASE_TYPE_REQUIRED';
const KIND = 'UNION_TYPE_CHOICES';

const long = (length: number) => '🦉'.repeat(length);

let count = 0;
const button = (facts: object = {}) => ({ type: 2, style: 1, label: 'x', custom_id: `b${++count}`, ...facts });
const option = (facts: object = {}) => ({ label: 'x', value: `v${++count}`, ...facts });
const stringSelect = (facts: object = {}) => ({ type: 3, custom_id: `s${++count}`, options: [option()], ...facts });
const select = (type: number, facts: object = {}) => ({ type, custom_id: `s${++count}`, ...facts });
const row = (...components: unknown[]) => ({ type: 1, components });
const display = (content = 'x') => ({ type: 10, content });
const section = (facts: object = {}) => ({ type: 9, components: [display()], accessory: button(), ...facts });
const media = (url = 'https://a.example/x.png') => ({ media: { url } });
const container = (...components: unknown[]) => ({ type: 17, components });
const times = <T>(number: number, make: (index: number) => T): T[] => Array.from({ length: number }, (_, n) => make(n));

describe('an action row', () => {
  test('holds up to five buttons, or one select', () => {
    expect(faultsOf([row(...times(5, () => button()))])).toEqual([]);
    expect(faultsOf([row(stringSelect())])).toEqual([]);
    expect(faultsOf([row()])).toEqual([`0.components ${BAD_LENGTH}`]);
    expect(faultsOf([row(...times(6, () => button()))])).toEqual([`0.components ${BAD_LENGTH}`]);
    expect(faultsOf([{ type: 1 }])).toEqual([`0.components ${REQUIRED}`]);
  });

  test.each([
    ['a button and a select', () => [button(), stringSelect()], 1],
    ['a select and a button', () => [select(5), button()], 1],
    ['two selects', () => [select(6), select(8)], 1],
  ])('is too narrow for %s', (_, children, index) => {
    expect(faultsOf([row(...children())])).toEqual([`0.components.${index} COMPONENT_LAYOUT_WIDTH_EXCEEDED`]);
  });

  test.each([1, 4, 9, 10, 17, 18, 99, 'x', true])('holds no component of type %j', (type) => {
    expect(faultsOf([row({ type, custom_id: 'x', style: 1, content: 'x' })])).toEqual([`0.components.0 ${KIND}`]);
  });

  test('lists the allowed types in its error', () => {
    const [fault] = faultsIn(messageComponents, [row({ type: 4 })]);
    expect(fault?.message).toBe('Value of field "type" must be one of (2, 3, 5, 6, 7, 8).');
  });
});

describe('a top-level component', () => {
  test.each([2, 3, 4, 5, 11, 18, 19, 21, 99])('cannot be of type %i', (type) => {
    expect(faultsOf([{ type }])).toEqual([`0 ${KIND}`]);
  });

  test('must have a type and be an object', () => {
    expect(faultsOf([{}, { type: null }, null, 5])).toEqual([
      `0.type ${REQUIRED}`,
      `1.type ${REQUIRED}`,
      `2 ${REQUIRED}`,
      '3 MODEL_TYPE_CONVERT',
    ]);
    expect(faultsOf({})).toEqual(['LIST_TYPE_CONVERT']);
  });
});

describe('a button', () => {
  const faults = (facts: object) =>
    faultsOf([row({ type: 2, ...facts })]).map((fault) => fault.replace(/^0\.components\.0[. ]/, ''));
  const url = 'https://a.example';
  const both = 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE';

  test.each([1, 2, 3, 4])('of style %i has a custom id, and no URL', (style) => {
    expect(faults({ style, label: 'x', custom_id: 'x' })).toEqual([]);
    expect(faults({ style, label: 'x' })).toEqual(['custom_id BUTTON_COMPONENT_CUSTOM_ID_REQUIRED']);
    expect(faults({ style, label: 'x', custom_id: 'x', url })).toEqual([both]);
    expect(faults({ style, label: 'x', custom_id: 'x', sku_id: '1' })).toEqual(['sku_id BASE_TYPE_INVALID']);
  });

  test('that is a link has a URL, and no custom id', () => {
    expect(faults({ style: 5, label: 'x', url })).toEqual([]);
    expect(faults({ style: 5, label: 'x', url: 'discord://-/channels/1' })).toEqual([]);
    expect(faults({ style: 5, label: 'x' })).toEqual([`url ${REQUIRED}`]);
    expect(faults({ style: 5, label: 'x', url, custom_id: 'x' })).toEqual([both]);
    expect(faults({ style: 5, label: 'x', url: 'javascript:alert(1)' })).toEqual(['url URL_TYPE_INVALID_SCHEME']);
    expect(faults({ style: 5, label: 'x', url: `${url}/${'x'.repeat(500)}` })).toEqual([`url ${TOO_LONG}`]);
  });

  test('of the premium style has a SKU, and nothing else', () => {
    expect(faults({ style: 6, sku_id: '123' })).toEqual([]);
    expect(faults({ style: 6 })).toEqual([`sku_id ${REQUIRED}`]);
    expect(faults({ style: 6, sku_id: '123', custom_id: 'x', label: 'x', url, emoji: { name: '🦉' } })).toEqual(
      ['custom_id', 'label', 'url', 'emoji'].map((field) => `${field} BASE_TYPE_INVALID`),
    );
  });

  test.each([0, 7, '1', 1.5])('cannot have the style %j', (style) => {
    expect(faults({ style, label: 'x', custom_id: 'x' })).toEqual([`style ${CHOICES}`]);
  });

  test('has a label, an emoji or both', () => {
    expect(faults({ style: 1, custom_id: 'x', emoji: { name: '🦉' } })).toEqual([]);
    expect(faults({ style: 1, custom_id: 'x' })).toEqual([`label ${REQUIRED}`]);
    expect(faults({ style: 1, custom_id: 'x', label: '' })).toEqual([`label ${REQUIRED}`]);
    expect(faults({ style: 1, custom_id: 'x', label: long(80) })).toEqual([]);
    expect(faults({ style: 1, custom_id: 'x', label: long(81) })).toEqual([`label ${TOO_LONG}`]);
  });

  test.each([
    [{ name: '🦉' }, []],
    [{ name: '❤' }, []],
    [{ name: '🇦' }, []],
    [{ name: '1\u20e3' }, []],
    [{ name: '❤\u200d🔥' }, []],
    [{ id: null, name: '👩‍👩‍👧‍👦' }, []],
    [{ id: '123', name: 'parrot', animated: true }, []],
    [{ id: '123' }, []],
    [{ name: '▲' }, ['emoji.name COMPONENT_INVALID_EMOJI']],
    [{ name: ':parrot:' }, ['emoji.name COMPONENT_INVALID_EMOJI']],
    [{}, [`emoji.name ${REQUIRED}`]],
    [{ id: 'x' }, ['emoji.id NUMBER_TYPE_COERCE']],
    ['🦉', ['emoji MODEL_TYPE_CONVERT']],
  ])('is validated with the emoji %j', (emoji, expected) => {
    expect(faults({ style: 1, label: 'x', custom_id: 'x', emoji })).toEqual(expected);
  });
});

describe('a custom id', () => {
  test('has 1 to 100 characters, including spaces', () => {
    const faults = (custom_id: string) => faultsOf([row(button({ custom_id }))]);
    for (const id of ['x', ' ', long(100)]) expect(faults(id)).toEqual([]);
    for (const id of ['', long(101)]) expect(faults(id)).toEqual([`0.components.0.custom_id ${BAD_LENGTH}`]);
    expect(faults('a\0')).toEqual(['0.components.0.custom_id STRING_TYPE_REGEX']);
    expect(parsed([row(button({ custom_id: ' x ' }))])).toMatchObject([{ components: [{ custom_id: ' x ' }] }]);
  });

  test('must be unique in a message, at any depth', () => {
    const same = () => button({ custom_id: 'same' });
    expect(faultsOf([row(same()), container(row(button(), same())), section({ accessory: same() })])).toEqual([
      '1.components.0.components.1.custom_id COMPONENT_CUSTOM_ID_DUPLICATED',
      '2.accessory.custom_id COMPONENT_CUSTOM_ID_DUPLICATED',
    ]);
  });
});

describe('a select', () => {
  const faults = (component: unknown) =>
    faultsOf([row(component)]).map((fault) => fault.replace('0.components.0.', ''));

  test.each([3, 5, 6, 7, 8])('of type %i has limits for the number of values', (type) => {
    const made = (facts: object) =>
      type === 3 ? stringSelect({ options: times(25, () => option()), ...facts }) : select(type, facts);
    for (const [min_values, max_values] of [
      [0, 1],
      [1, 1],
      [25, 25],
      [null, null],
    ]) {
      expect(faults(made({ min_values, max_values }))).toEqual([]);
    }
    expect(faults(made({ min_values: 2 }))).toEqual(['min_values NUMBER_TYPE_MAX']);
    expect(faults(made({ min_values: -1 }))).toEqual(['min_values NUMBER_TYPE_MIN']);
    expect(faults(made({ min_values: 26, max_values: 26 }))).toEqual([
      'min_values NUMBER_TYPE_MAX',
      'max_values NUMBER_TYPE_MAX',
    ]);
    expect(faults(made({ max_values: 0 }))).toEqual(['max_values NUMBER_TYPE_MIN']);
    expect(faults(made({ placeholder: long(151) }))).toEqual([`placeholder ${TOO_LONG}`]);
    expect(faults(made({ custom_id: null }))).toEqual([`custom_id ${REQUIRED}`]);
  });

  test('of strings has 1 to 25 options with distinct values, and limits within their number', () => {
    expect(faults(stringSelect({ options: [] }))).toEqual([`options ${BAD_LENGTH}`]);
    expect(faults(stringSelect({ options: times(26, () => option()) }))).toEqual([`options ${BAD_LENGTH}`]);
    const options = [option({ value: 'a' }), option({ value: 'b' }), option({ value: 'a' })];
    expect(faults(stringSelect({ options }))).toEqual(['options.2.value COMPONENT_OPTION_VALUE_DUPLICATED']);
    expect(faults(stringSelect({ max_values: 2 }))).toEqual(['max_values NUMBER_TYPE_MAX']);
  });

  test.each([
    ['label', [long(1), long(100)], ['', long(101)], BAD_LENGTH],
    ['value', [long(1), long(100)], ['', long(101)], BAD_LENGTH],
    ['description', ['', long(100)], [long(101)], TOO_LONG],
  ])('has options with a bounded %s', (field, good, bad, code) => {
    const faultsWith = (text: string) => faults(stringSelect({ options: [option({ [field]: text })] }));
    for (const text of good) expect(faultsWith(text)).toEqual([]);
    for (const text of bad) expect(faultsWith(text)).toEqual([`options.0.${field} ${code}`]);
  });

  test.each([
    [5, ['user'], ['role', 'channel']],
    [6, ['role'], ['user', 'channel']],
    [7, ['user', 'role'], ['channel']],
    [8, ['channel'], ['user', 'role']],
  ])('of type %i can have default values of %j, not of %j', (type, good, bad) => {
    const faultsWith = (kind: string) => faults(select(type, { default_values: [{ id: '1', type: kind }] }));
    for (const kind of good) expect(faultsWith(kind)).toEqual([]);
    for (const kind of bad) expect(faultsWith(kind)).toEqual([`default_values.0.type ${CHOICES}`]);
  });

  test('has as many default values as can be chosen', () => {
    const default_values = times(2, (n) => ({ id: String(n), type: 'user' }));
    expect(faults(select(5, { default_values }))).toEqual([`default_values ${BAD_LENGTH}`]);
    expect(faults(select(5, { default_values, max_values: 2 }))).toEqual([]);
    expect(faults(select(5, { default_values, min_values: 3, max_values: 3 }))).toEqual([
      `default_values ${BAD_LENGTH}`,
    ]);
    expect(faults(select(5, { default_values: [], min_values: 3, max_values: 3 }))).toEqual([]);
  });

  test('of channels may list channel types', () => {
    expect(faults(select(8, { channel_types: [0, 2, 15] }))).toEqual([]);
    expect(faults(select(8, { channel_types: [0, 99] }))).toEqual([`channel_types.1 ${CHOICES}`]);
  });
});

describe('a layout', () => {
  test('accepts each kind of component', () => {
    expect(
      faultsOf([
        section(),
        section({ components: [display(), display(), display()], accessory: { type: 11, ...media() } }),
        display(),
        { type: 12, items: times(10, () => media()) },
        { type: 13, file: { url: 'attachment://a.txt' } },
        { type: 14, spacing: 2, divider: false },
        {
          ...container(display(), row(button()), section(), { type: 12, items: [media()] }, { type: 14 }),
          accent_color: 0,
        },
      ]),
    ).toEqual([]);
  });

  test.each<[string, () => object, string[]]>([
    ['a section without text', () => section({ components: [] }), [`components ${BAD_LENGTH}`]],
    ['a section of four texts', () => section({ components: times(4, () => display()) }), [`components ${BAD_LENGTH}`]],
    ['a section without an accessory', () => section({ accessory: null }), [`accessory ${REQUIRED}`]],
    ['a section with a select as accessory', () => section({ accessory: select(5) }), [`accessory ${KIND}`]],
    ['a section with a row in it', () => section({ components: [row(button())] }), [`components.0 ${KIND}`]],
    ['an empty text', () => display(''), [`content ${BAD_LENGTH}`]],
    ['a gallery of nothing', () => ({ type: 12, items: [] }), [`items ${BAD_LENGTH}`]],
    ['a gallery of eleven', () => ({ type: 12, items: times(11, () => media()) }), [`items ${BAD_LENGTH}`]],
    ['a picture without an address', () => ({ type: 12, items: [{}] }), [`items.0.media ${REQUIRED}`]],
    ['a picture of nowhere', () => ({ type: 12, items: [media('x')] }), ['items.0.media.url URL_TYPE_INVALID_SCHEME']],
    [
      'a long description',
      () => ({ type: 12, items: [{ ...media(), description: long(1_025) }] }),
      [`items.0.description ${TOO_LONG}`],
    ],
    [
      "a file that is not the message's own",
      () => ({ type: 13, file: { url: 'https://a.example/x' } }),
      ['file.url URL_TYPE_INVALID_SCHEME'],
    ],
    ['spacing of 3', () => ({ type: 14, spacing: 3 }), ['spacing NUMBER_TYPE_MAX']],
    ['an empty container', () => container(), [`components ${BAD_LENGTH}`]],
    ['a container in a container', () => container(container(display())), [`components.0 ${KIND}`]],
    ['a container with a bare button', () => container(button()), [`components.0 ${KIND}`]],
    ['no colour', () => ({ ...container(display()), accent_color: 0x1_00_00_00 }), ['accent_color NUMBER_TYPE_MAX']],
  ])('is not %s', (_, component, expected) => {
    expect(faultsOf([component()])).toEqual(expected.map((fault) => `0.${fault}`));
  });

  test('has at most 40 components in total, each counted', () => {
    const rows = (number: number) => times(number, () => row(...times(5, () => button())));
    expect(faultsOf([...rows(6), section(), display()])).toEqual([]);
    expect(faultsOf([...rows(6), section(), display(), display()])).toEqual([
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
    ]);
    expect(faultsOf(times(41, () => display()))).toEqual([BAD_LENGTH]);
  });

  test('has at most 4,000 characters of text in total', () => {
    const texts = [display(long(2_000)), container(section({ components: [display(long(1_999))] }))];
    expect(faultsOf([...texts, display('x')])).toEqual([]);
    expect(faultsOf([...texts, display('xx')])).toEqual([TOO_LONG]);
  });
});

describe('the ids of components', () => {
  const numbersOf = (value: unknown): number[] => {
    const numbers: number[] = [];
    JSON.stringify(parsed(value), (name, member) => {
      if (name === 'id') numbers.push(member);
      return member;
    });
    return numbers;
  };

  test('are assigned from 1, with parents before their children', () => {
    expect(numbersOf([row(button(), button()), container(section()), display()])).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('skip those that were given, and 0 counts as none', () => {
    const sent = [
      { ...row({ ...button(), id: 1 }, button()), id: 0 },
      { ...display(), id: 3 },
      { ...display(), id: null },
    ];
    expect(numbersOf(sent)).toEqual([2, 1, 4, 3, 5]);
  });

  test('are unique, and of 32 bits', () => {
    const twice = [{ ...display(), id: 7 }, container({ ...display(), id: 7 })];
    expect(faultsOf(twice)).toEqual(['1.components.0.id COMPONENT_ID_DUPLICATED']);
    expect(faultsOf([{ ...display(), id: 2 ** 31 }])).toEqual(['0.id NUMBER_TYPE_MAX']);
    expect(faultsOf([{ ...display(), id: -1 }])).toEqual(['0.id NUMBER_TYPE_MIN']);
    expect(faultsOf([{ ...display(), id: 'x' }])).toEqual(['0.id NUMBER_TYPE_COERCE']);
  });
});

test('missing fields get their defaults, and unknown fields are dropped', () => {
  const sent: unknown[] = [
    row({ ...select(5, { custom_id: 'u' }), required: true, made_up: 1 }),
    container({ type: 14 }, { type: 12, items: [media()] }, { type: 13, file: { url: 'attachment://a' }, name: 'b' }),
    row(button({ custom_id: 'b', disabled: false, url: null, label: 'x' })),
  ];
  expect(parsed(sent)).toEqual([
    { type: 1, id: 1, components: [{ type: 5, id: 2, custom_id: 'u', min_values: 1, max_values: 1 }] },
    {
      type: 17,
      id: 3,
      accent_color: null,
      spoiler: false,
      components: [
        { type: 14, id: 4, divider: true, spacing: 1 },
        { type: 12, id: 5, items: [{ ...media(), description: null, spoiler: false }] },
        { type: 13, id: 6, file: { url: 'attachment://a' }, spoiler: false },
      ],
    },
    { type: 1, id: 7, components: [{ type: 2, id: 8, style: 1, label: 'x', custom_id: 'b', disabled: false }] },
  ]);
});

describe('findComponent', () => {
  const stored = JSON.parse(
    JSON.stringify(
      parsed([
        row(button({ custom_id: 'in a row' })),
        section({ accessory: button({ custom_id: 'beside a text', disabled: true }) }),
        container(row(stringSelect({ custom_id: 'in a container' }))),
        row({ type: 2, style: 5, label: 'x', url: 'https://a.example' }),
      ]),
    ),
  );

  test('finds an interactive component at any depth', () => {
    expect(findComponent(stored, 'in a row')).toMatchObject({ type: 2, id: 2 });
    expect(findComponent(stored, 'beside a text')).toMatchObject({ type: 2, disabled: true });
    expect(findComponent(stored, 'in a container')).toMatchObject({ type: 3, max_values: 1 });
  });

  test.each([[[]], [null], [[{ type: 1 }]], ['x']])('finds no other component, and none in %j', (components) => {
    expect(findComponent(stored, 'elsewhere')).toBeUndefined();
    expect(findComponent(components, 'in a row')).toBeUndefined();
  });
});

describe('any input', { tags: ['slow'] }, () => {
  const anything = fc.jsonValue({ maxDepth: 3 });
  const names = [
    'type',
    'id',
    'components',
    'custom_id',
    'accessory',
    'options',
    'media',
    'items',
    'file',
    'emoji',
    '__proto__',
  ];
  const almost = fc.letrec<{ component: unknown }>((tie) => ({
    component: fc.record(
      {
        type: fc.oneof(fc.integer({ min: 0, max: 24 }), anything),
        id: fc.oneof(fc.nat(9), anything),
        style: fc.oneof(fc.integer({ min: 0, max: 7 }), anything),
        label: fc.string(),
        custom_id: fc.oneof(fc.string(), anything),
        content: fc.string(),
        url: fc.constantFrom('https://a.example', 'attachment://x', 'x'),
        options: fc.oneof(fc.array(fc.record({ label: fc.string(), value: fc.string() })), anything),
        items: fc.array(fc.record({ media: fc.record({ url: fc.webUrl() }) })),
        min_values: fc.integer({ min: -1, max: 26 }),
        components: fc.oneof({ depthSize: 'small' }, fc.array(tie('component'), { maxLength: 6 }), anything),
        accessory: fc.oneof({ depthSize: 'small' }, tie('component'), anything),
      },
      { requiredKeys: ['type'] },
    ),
  })).component;
  const sent = fc.oneof(anything, fc.array(fc.oneof(almost, fc.dictionary(fc.constantFrom(...names), anything))));
  /** A value after a round trip through the database. */
  const storedAs = (value: unknown): unknown => JSON.parse(JSON.stringify(parsed(value)));

  test('is accepted or refused, and an accepted value is accepted again as it is stored', () => {
    fc.assert(
      fc.property(sent, (value) => {
        if (faultsIn(messageComponents, value).length > 0) return;
        expect(parsed(storedAs(value))).toEqual(storedAs(value));
      }),
      { numRuns: 200 },
    );
  });

  const leaf = fc.oneof(
    fc.record({ content: fc.string({ minLength: 1, maxLength: 20 }) }).map((facts) => ({ type: 10, ...facts })),
    fc.record({ divider: fc.boolean(), spacing: fc.constantFrom(1, 2, null) }).map((facts) => ({ type: 14, ...facts })),
    fc.webUrl().map((url) => ({ type: 12, items: [{ media: { url } }] })),
    fc.constantFrom(1, 2, 3).map((number) => ({ rows: number })),
  );
  const layouts = fc
    .array(fc.oneof(leaf, fc.array(leaf, { minLength: 1, maxLength: 3 })), { maxLength: 6 })
    .map((parts) => {
      let next = 0;
      const made = (part: { rows: number } | object): object =>
        'rows' in part ? row(...times(part.rows, () => button({ custom_id: `c${++next}` }))) : part;
      return parts.map((part) => (Array.isArray(part) ? container(...part.map(made)) : made(part)));
    });

  test('is accepted if it is a layout, and stays the same as it is stored', () => {
    fc.assert(
      fc.property(layouts, (value) => {
        expect(parsed(storedAs(value))).toEqual(storedAs(value));
      }),
    );
  });
});
