import { ComponentType as Type } from 'discord-api-types/v10';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SubmittedComponents } from '../../../../src/domain/interactions/index.js';
import { readModal } from '../../../../src/domain/interactions/requests/filled-inputs.js';
import { storedModal } from '../../../../src/domain/interactions/requests/modals.js';
import { newReading } from '../../../../src/domain/interactions/requests/reading.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { faultsIn } from '../../../harness/faults-in.js';

const FILE_IDS = [70n, 71n];

function fill(components: object[], sent: unknown) {
  const modal = storedModal({ custom_id: 'form', title: 'Form', components });
  if (!modal) throw new Error('that is no modal');
  const reading = newReading(FILE_IDS);
  const data = readModal(reading, modal, parseInput(SubmittedComponents, sent, 'components'));
  return { data, wanted: reading.wanted, faults: reading.faults.map(({ path, code }) => `${path} ${code}`) };
}

const label = (component: object) => ({ type: Type.Label, label: 'it', component });
const inRow = (...components: object[]) => ({ type: Type.ActionRow, components });
const text = (facts: object = {}) => ({ type: Type.TextInput, custom_id: 'it', style: 1, ...facts });
const choice = (type: Type, facts: object = {}) => ({
  type,
  custom_id: 'it',
  options: ['red', 'green', 'blue'].map((value) => ({ label: value, value })),
  ...facts,
});
const entity = (type: Type, facts: object = {}) => ({ type, custom_id: 'it', ...facts });

const faultsOf = (input: object, sent: object) =>
  fill([label(input)], [{ type: 18, component: { custom_id: 'it', ...sent } }]).faults;

const VALUE = 'components.0.component.value';
const VALUES = 'components.0.component.values';

describe('a submitted modal', () => {
  it('is complete and in its own order, including empty inputs', () => {
    const { data, faults } = fill(
      [
        { ...inRow(text({ custom_id: 'old', id: 2 })), id: 1 },
        { type: Type.TextDisplay, id: 3, content: 'Read this' },
        { ...label(text({ custom_id: 'new', required: false })), id: 4 },
        label(choice(Type.StringSelect, { custom_id: 'select', required: false })),
        label(choice(Type.RadioGroup, { custom_id: 'radio', required: false })),
        label(choice(Type.CheckboxGroup, { custom_id: 'boxes', required: false })),
        label({ type: Type.Checkbox, custom_id: 'box' }),
        label(entity(Type.FileUpload, { custom_id: 'files', required: false })),
      ],
      [{ type: 1, components: [{ type: 4, custom_id: 'old', value: 'text' }] }],
    );
    expect(faults).toEqual([]);
    expect(data).toEqual({
      custom_id: 'form',
      components: [
        { type: 1, id: 1, components: [{ type: 4, id: 2, custom_id: 'old', value: 'text' }] },
        { type: 10, id: 3 },
        { type: 18, id: 4, component: { type: 4, custom_id: 'new', value: '' } },
        { type: 18, component: { type: 3, custom_id: 'select', values: [] } },
        { type: 18, component: { type: 21, custom_id: 'radio', value: null } },
        { type: 18, component: { type: 22, custom_id: 'boxes', values: [] } },
        { type: 18, component: { type: 23, custom_id: 'box', value: false } },
        { type: 18, component: { type: 19, custom_id: 'files', values: [] } },
      ],
    });
  });

  it('has the value of each input', () => {
    const inputs = [
      choice(Type.StringSelect, { custom_id: 'select', max_values: 2 }),
      choice(Type.RadioGroup, { custom_id: 'radio' }),
      choice(Type.CheckboxGroup, { custom_id: 'boxes' }),
      { type: Type.Checkbox, custom_id: 'box' },
      entity(Type.ChannelSelect, { custom_id: 'where', channel_types: [0] }),
    ];
    const sent = [
      { custom_id: 'select', values: ['blue', 'red'] },
      { custom_id: 'radio', value: 'green' },
      { custom_id: 'boxes', values: ['red', 'green', 'blue'] },
      { custom_id: 'box', value: true },
      { custom_id: 'where', values: [12345] },
    ];
    const { data, wanted, faults } = fill(
      inputs.map(label),
      sent.map((component) => ({ type: 18, component })),
    );
    expect(faults).toEqual([]);
    expect(data.components.map(({ component }) => component?.value ?? component?.values)).toEqual([
      ['blue', 'red'],
      'green',
      ['red', 'green', 'blue'],
      true,
      ['12345'],
    ]);
    expect(wanted).toEqual([
      { kind: 'channel', id: 12345n, path: 'components.4.component.values.0', channelTypes: [0] },
    ]);
  });
});

describe('an input', () => {
  it.each<[string, object, object, string[]]>([
    ['of text is filled in', text(), { value: '' }, [`${VALUE} BASE_TYPE_REQUIRED`]],
    ['of text is filled in with something', text(), {}, [`${VALUE} BASE_TYPE_REQUIRED`]],
    ['of text may be empty where it is not required', text({ required: false, min_length: 5 }), { value: '' }, []],
    ['of text is text', text(), { value: 5 }, [`${VALUE} STRING_TYPE_CONVERT`]],
    ['of text is long enough', text({ min_length: 3 }), { value: 'ab' }, [`${VALUE} BASE_TYPE_BAD_LENGTH`]],
    [
      'of text is long enough where it is not required',
      text({ min_length: 3, required: false }),
      { value: 'ab' },
      [`${VALUE} BASE_TYPE_BAD_LENGTH`],
    ],
    ['of text is not too long', text({ max_length: 3 }), { value: 'abcd' }, [`${VALUE} BASE_TYPE_MAX_LENGTH`]],
    ['of text is counted in characters', text({ min_length: 3, max_length: 3 }), { value: '👍👍👍' }, []],
    ['that takes one of several takes one', choice(Type.RadioGroup), {}, [`${VALUE} BASE_TYPE_REQUIRED`]],
    [
      'that takes one of several takes no other',
      choice(Type.RadioGroup),
      { value: 'pink' },
      [`${VALUE} BASE_TYPE_CHOICES`],
    ],
    ['that takes one of several may be empty', choice(Type.RadioGroup, { required: false }), { value: null }, []],
    ['that takes several takes some', choice(Type.CheckboxGroup), { values: [] }, [`${VALUES} BASE_TYPE_REQUIRED`]],
    ['that takes several may take all', choice(Type.CheckboxGroup), { values: ['red', 'green', 'blue'] }, []],
    [
      'that takes several takes no other',
      choice(Type.CheckboxGroup),
      { values: ['pink'] },
      [`${VALUES}.0 BASE_TYPE_CHOICES`],
    ],
    [
      'that takes several takes no more than it says',
      choice(Type.CheckboxGroup, { max_values: 1 }),
      { values: ['red', 'green'] },
      [`${VALUES} BASE_TYPE_BAD_LENGTH`],
    ],
    [
      'that is checked or not is one of the two',
      { type: Type.Checkbox, custom_id: 'it' },
      { value: 'yes' },
      [`${VALUE} BOOLEAN_TYPE_CONVERT`],
    ],
    ['of a select takes one', choice(Type.StringSelect), { values: [] }, [`${VALUES} BASE_TYPE_REQUIRED`]],
    [
      'of a select takes no more unless it says so',
      choice(Type.StringSelect),
      { values: ['red', 'blue'] },
      [`${VALUES} BASE_TYPE_BAD_LENGTH`],
    ],
    [
      'of a select may be empty where it is not required',
      choice(Type.StringSelect, { required: false, min_values: 2, max_values: 3 }),
      { values: [] },
      [],
    ],
    [
      'of a select takes enough, if any',
      choice(Type.StringSelect, { required: false, min_values: 2, max_values: 3 }),
      { values: ['red'] },
      [`${VALUES} BASE_TYPE_BAD_LENGTH`],
    ],
    [
      'of a select of users takes ids',
      entity(Type.UserSelect),
      { values: ['ada'] },
      [`${VALUES}.0 NUMBER_TYPE_COERCE`],
    ],
    [
      'of files takes those that were sent',
      entity(Type.FileUpload, { required: false, max_values: 3 }),
      { values: ['0', '2', 'x'] },
      [`${VALUES}.1 ATTACHMENT_NOT_FOUND`, `${VALUES}.2 ATTACHMENT_NOT_FOUND`],
    ],
    [
      'of files that is required is not empty',
      entity(Type.FileUpload),
      { values: [] },
      [`${VALUES} BASE_TYPE_REQUIRED`],
    ],
    [
      'of files takes one unless it says more',
      entity(Type.FileUpload),
      { values: ['0', '1'] },
      [`${VALUES} BASE_TYPE_BAD_LENGTH`],
    ],
    [
      'of files takes as many as it says',
      entity(Type.FileUpload, { min_values: 2, max_values: 3 }),
      { values: ['0'] },
      [`${VALUES} BASE_TYPE_BAD_LENGTH`],
    ],
    ['of files that is not required may be empty', entity(Type.FileUpload, { required: false }), { values: [] }, []],
    ['is sent as what it is', text(), { type: 3, value: 'x' }, ['components.0.component.type BASE_TYPE_CHOICES']],
  ])('%s', (_rule, input, sent, expected) => {
    expect(faultsOf(input, sent)).toEqual(expected);
  });

  it.each<[string, object[], unknown, string[]]>([
    ['that is required is sent', [label(text())], [], ['components BASE_TYPE_REQUIRED']],
    [
      'in a row has its faults there',
      [inRow(text())],
      [{ components: [{ custom_id: 'it', value: '' }] }],
      ['components.0.components.0.value BASE_TYPE_REQUIRED'],
    ],
    [
      "is one of the modal's",
      [label(text({ required: false }))],
      [{ component: { custom_id: 'x' } }],
      ['components.0.component.custom_id BASE_TYPE_CHOICES'],
    ],
    [
      'is sent once',
      [label(text())],
      [{ component: { custom_id: 'it', value: 'a' } }, { component: { custom_id: 'it', value: 'b' } }],
      ['components.1.component.custom_id SET_TYPE_ALREADY_CONTAINS_VALUE'],
    ],
    ['may be sent in a part of another kind', [label(text())], [{ components: [{ custom_id: 'it', value: 'a' }] }], []],
    [
      'may be sent next to text',
      [label(text())],
      [{ type: 10, id: 1 }, { component: { custom_id: 'it', value: 'a' } }],
      [],
    ],
  ])('%s', (_rule, components, sent, expected) => {
    expect(fill(components, sent).faults).toEqual(expected);
  });
});

describe('the components of a submission', () => {
  const problems = (sent: unknown) =>
    faultsIn(SubmittedComponents, sent, 'components').map(({ path, code }) => `${path} ${code}`);

  it.each<[string, unknown, string[]]>([
    ['is a list', {}, ['components LIST_TYPE_CONVERT']],
    ['is of parts', ['x'], ['components.0 MODEL_TYPE_CONVERT']],
    ['holds no U+0000', [{ component: { custom_id: 'it', value: 'a\u0000' } }], [`${VALUE} STRING_TYPE_REGEX`]],
    [
      'is no longer than 4000 characters each',
      [{ component: { value: 'x'.repeat(4_001) } }],
      [`${VALUE} BASE_TYPE_MAX_LENGTH`],
    ],
    ['may be 4000 characters long', [{ component: { value: '👍'.repeat(4_000) } }], []],
    ['is of 25 values each', [{ component: { values: Array(26).fill('a') } }], [`${VALUES} BASE_TYPE_BAD_LENGTH`]],
    ['may have unknown fields', [{ later: true, component: { custom_id: 'it', more: 1 } }], []],
  ])('%s', (_rule, sent, expected) => {
    expect(problems(sent)).toEqual(expected);
  });

  it('are refused as invalid input in any other form, without a crash', () => {
    const known = [label(text()), inRow(text({ custom_id: 'b' })), label(choice(Type.RadioGroup, { custom_id: 'c' }))];
    const input = fc.record(
      {
        custom_id: fc.constantFrom('it', 'b', 'c', 5),
        type: fc.anything(),
        value: fc.anything(),
        values: fc.anything(),
      },
      { requiredKeys: [] },
    );
    const part = fc.record({ component: input, components: fc.array(input, { maxLength: 3 }) }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), fc.array(part, { maxLength: 5 })), (sent) => {
        try {
          fill(known, sent);
        } catch (error) {
          expect(error).toMatchObject({ name: 'DomainError', code: 'INVALID_INPUT' });
        }
      }),
      { numRuns: 500 },
    );
  });
});
