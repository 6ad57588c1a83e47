import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modalContent } from '../../../src/domain/messages/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import { faultsIn } from '../../harness/faults-in.js';

const modal = (...components: unknown[]) => ({ custom_id: 'm', title: 'Title', components });
const label = (component: object, facts: object = {}) => ({ type: 18, label: 'x', component, ...facts });
const input = (facts: object = {}) => ({ type: 4, style: 1, custom_id: 'i', ...facts });
const row = (...components: unknown[]) => ({ type: 1, components });
const boxes = (count: number) => Array.from({ length: count }, (_, n) => ({ label: 'x', value: String(n) }));

const faultsOf = (value: unknown) => faultsIn(modalContent, value).map(({ path, code }) => `${path} ${code}`.trim());
const inLabel = (component: object) =>
  faultsOf(modal(label(component))).map((fault) => fault.replace('components.0.component.', ''));

const BAD_LENGTH = 'BASE_TYPE_BAD_LENGTH';
const TOO_LONG = 'BASE_TYPE_MAX_LENGTH';
const REQUIRED = 'BASE_TYPE_REQUIRED';
const KIND = 'UNION_TYPE_CHOICES';

describe('a modal', () => {
  test.each([
    ['title', ['x', 'x'.repeat(45)], ['', 'x'.repeat(46)]],
    ['custom_id', ['x', 'x'.repeat(100)], ['', 'x'.repeat(101)]],
  ])('has a %s within its length', (field, good, bad) => {
    const faults = (text: unknown) => faultsOf({ ...modal(label(input())), [field]: text });
    for (const text of good) expect(faults(text)).toEqual([]);
    for (const text of bad) expect(faults(text)).toEqual([`${field} ${BAD_LENGTH}`]);
    expect(faults(undefined)).toEqual([`${field} ${REQUIRED}`]);
  });

  test('has one to five components', () => {
    const inputs = (count: number) => Array.from({ length: count }, (_, n) => label(input({ custom_id: `i${n}` })));
    expect(faultsOf(modal(...inputs(5)))).toEqual([]);
    expect(faultsOf(modal())).toEqual([`components ${BAD_LENGTH}`]);
    expect(faultsOf(modal(...inputs(6)))).toEqual([`components ${BAD_LENGTH}`]);
  });

  test.each([2, 3, 4, 5, 9, 11, 17, 21, 99])('has no top-level component of type %i', (type) => {
    expect(faultsOf(modal({ ...input(), type }))).toEqual([`components.0 ${KIND}`]);
  });

  test('has no two inputs with the same custom id', () => {
    expect(faultsOf(modal(label(input()), row(input({ label: 'x' }))))).toEqual([
      'components.1.components.0.custom_id COMPONENT_CUSTOM_ID_DUPLICATED',
    ]);
  });
});

describe('an action row of a modal', () => {
  test('holds one text input, which has a label', () => {
    expect(faultsOf(modal(row(input({ label: 'x' }))))).toEqual([]);
    expect(faultsOf(modal(row(input())))).toEqual([`components.0.components.0.label ${REQUIRED}`]);
    expect(faultsOf(modal(row()))).toEqual([`components.0.components ${BAD_LENGTH}`]);
    const two = [input({ label: 'x' }), input({ label: 'x', custom_id: 'j' })];
    expect(faultsOf(modal(row(...two)))).toEqual([`components.0.components ${BAD_LENGTH}`]);
    expect(faultsOf(modal(row({ type: 2, style: 1, label: 'x', custom_id: 'b' })))).toEqual([
      `components.0.components.0 ${KIND}`,
    ]);
  });
});

describe('a label', () => {
  test('has a text, and an optional description', () => {
    const faults = (facts: object) => faultsOf(modal(label(input(), facts)));
    expect(faults({ label: 'x'.repeat(45), description: 'x'.repeat(100) })).toEqual([]);
    expect(faults({ label: '' })).toEqual([`components.0.label ${BAD_LENGTH}`]);
    expect(faults({ label: 'x'.repeat(46) })).toEqual([`components.0.label ${BAD_LENGTH}`]);
    expect(faults({ description: 'x'.repeat(101) })).toEqual([`components.0.description ${TOO_LONG}`]);
  });

  test.each([1, 2, 9, 10, 17, 18])('holds no component of type %i', (type) => {
    expect(faultsOf(modal(label({ ...input(), type })))).toEqual([`components.0.component ${KIND}`]);
  });
});

describe('the component in a label', () => {
  test.each<[string, object, string[]]>([
    ['text', input(), []],
    ['text between bounds', input({ min_length: 0, max_length: 1, style: 2 }), []],
    ['text of no style', input({ style: 3 }), ['style BASE_TYPE_CHOICES']],
    ['too short a text', input({ min_length: -1 }), ['min_length NUMBER_TYPE_MIN']],
    ['too long a text', input({ max_length: 4_001 }), ['max_length NUMBER_TYPE_MAX']],
    ['a text of no length', input({ max_length: 0 }), ['max_length NUMBER_TYPE_MIN']],
    ['a text between turned bounds', input({ min_length: 3, max_length: 2 }), ['min_length NUMBER_TYPE_MAX']],
    ['a text that is there', input({ value: 'x'.repeat(4_000), placeholder: 'x'.repeat(100) }), []],
    ['a text that is too much', input({ value: 'x'.repeat(4_001) }), [`value ${TOO_LONG}`]],
    ['with too long a hint', input({ placeholder: 'x'.repeat(101) }), [`placeholder ${TOO_LONG}`]],
    ['a choice', { type: 3, custom_id: 's', options: boxes(1) }, []],
    ['people', { type: 5, custom_id: 's', required: false, min_values: 0 }, []],
    ['people, but none', { type: 5, custom_id: 's', min_values: 0 }, ['min_values NUMBER_TYPE_MIN']],
    ['a disabled user select', { type: 5, custom_id: 's', disabled: true }, ['disabled BASE_TYPE_INVALID']],
    ['files', { type: 19, custom_id: 'f', max_values: 10, file_types: ['image', '.pdf'] }, []],
    ['too many files', { type: 19, custom_id: 'f', max_values: 11 }, ['max_values NUMBER_TYPE_MAX']],
    ['files between turned bounds', { type: 19, custom_id: 'f', min_values: 2 }, ['min_values NUMBER_TYPE_MAX']],
    ['one of several', { type: 21, custom_id: 'r', options: boxes(2) }, []],
    ['one of one', { type: 21, custom_id: 'r', options: boxes(1) }, [`options ${BAD_LENGTH}`]],
    ['one of many', { type: 21, custom_id: 'r', options: boxes(11) }, [`options ${BAD_LENGTH}`]],
    ['boxes', { type: 22, custom_id: 'c', options: boxes(10), max_values: 10 }, []],
    [
      'more boxes than can be ticked',
      { type: 22, custom_id: 'c', options: boxes(1), min_values: 2 },
      ['min_values NUMBER_TYPE_MAX'],
    ],
    ['a box', { type: 23, custom_id: 'c', default: true }, []],
  ])('is validated as %s', (_, component, expected) => {
    expect(inLabel(component)).toEqual(expected);
  });

  test('is a file upload with its file types', () => {
    const upload = { type: 19, id: 2, custom_id: 'f', min_values: 1, max_values: 3, required: true };
    const given = modal({ ...label({ ...upload, file_types: ['image', '.PDF', '.pdf'] }), id: 1 });
    const { components } = parseInput(modalContent, given);
    expect(components).toEqual([{ ...label({ ...upload, file_types: ['image', '.pdf'] }), id: 1 }]);
    expect(inLabel({ ...upload, file_types: ['pdf'] })).toEqual(['file_types.0 STRING_TYPE_REGEX']);
  });

  test('has defaults for missing fields', () => {
    const given = modal(
      label(input()),
      label({ type: 5, custom_id: 'u' }),
      label({ type: 22, custom_id: 'c', options: boxes(2) }),
      { type: 10, content: 'words' },
    );
    expect(parseInput(modalContent, given)).toEqual({
      custom_id: 'm',
      title: 'Title',
      components: [
        {
          ...label({ ...input(), id: 2, min_length: 0, max_length: 4_000, required: true }),
          id: 1,
        },
        { ...label({ type: 5, id: 4, custom_id: 'u', min_values: 1, max_values: 1, required: true }), id: 3 },
        {
          ...label({
            type: 22,
            id: 6,
            custom_id: 'c',
            options: boxes(2).map((option) => ({ ...option, default: false })),
            min_values: 1,
            max_values: 2,
            required: true,
          }),
          id: 5,
        },
        { type: 10, id: 7, content: 'words' },
      ],
    });
  });
});

test('any input for a modal is accepted or refused, and an accepted value is accepted again', () => {
  const anything = fc.jsonValue({ maxDepth: 3 });
  const type = fc.oneof(fc.integer({ min: 1, max: 23 }), anything);
  const facts = {
    custom_id: fc.string(),
    label: fc.string(),
    style: fc.integer({ min: 0, max: 3 }),
    content: fc.string(),
  };
  const part = fc.record({ type, ...facts }, { requiredKeys: ['type'] });
  const component = fc.record(
    { type, ...facts, component: fc.oneof(part, anything), components: fc.oneof(fc.array(part), anything) },
    { requiredKeys: ['type'] },
  );
  const sent = fc.record({
    custom_id: fc.string(),
    title: fc.string(),
    components: fc.array(component, { maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.oneof(sent, anything), (value) => {
      if (faultsIn(modalContent, value).length > 0) return;
      const taken = parseInput(modalContent, value);
      expect(parseInput(modalContent, JSON.parse(JSON.stringify(taken)))).toEqual(taken);
    }),
    { numRuns: 300 },
  );
});
