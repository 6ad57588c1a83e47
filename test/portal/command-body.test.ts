import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Body,
  jsonOf,
  NEW_BODY,
  type Option,
  parseBody,
} from '../../portal/src/pages/applications/commands/command-body.js';
import {
  added,
  GROUP,
  has,
  isFolder,
  MOST,
  moved,
  OPTION_TYPES,
  removed,
  retyped,
  SUBCOMMAND,
  typesWithin,
} from '../../portal/src/pages/applications/commands/option-tree.js';

const Translations = fc.option(fc.dictionary(fc.constantFrom('de', 'fr', 'ja'), fc.string(), { minKeys: 1 }));

const texts = { name: fc.string(), description: fc.string() };

const Choices = fc.array(fc.record({ name: fc.string(), value: fc.oneof(fc.string(), fc.integer()) }), {
  minLength: 1,
});

const plain = (type: number): fc.Arbitrary<Option> =>
  fc.record(
    {
      type: fc.constant(type),
      ...texts,
      required: fc.boolean(),
      ...(has(type, 'choices') ? { choices: Choices } : {}),
      ...(has(type, 'min_value') ? { min_value: fc.integer(), max_value: fc.integer() } : {}),
      ...(has(type, 'min_length') ? { min_length: fc.nat(), max_length: fc.nat() } : {}),
      ...(has(type, 'channel_types') ? { channel_types: fc.array(fc.nat(), { minLength: 1 }) } : {}),
    },
    { requiredKeys: ['type', 'name', 'description'] },
  );

const Plain = fc.constantFrom(...OPTION_TYPES.filter((one) => !isFolder(one)).map(({ type }) => type)).chain(plain);

const folder = (type: number, inner: fc.Arbitrary<Option>): fc.Arbitrary<Option> =>
  fc.record({ type: fc.constant(type), ...texts, options: fc.array(inner, { minLength: 1, maxLength: 4 }) });

const Subcommand = folder(SUBCOMMAND, Plain);

const AnyOption = fc.oneof(Plain, Subcommand, folder(GROUP, Subcommand));

const AnyBody: fc.Arbitrary<Body> = fc.record({
  type: fc.constantFrom(1, 2, 3),
  ...texts,
  name_localizations: Translations,
  description_localizations: Translations,
  options: fc.array(AnyOption, { maxLength: 5 }),
  default_member_permissions: fc.option(fc.nat().map(String)),
  nsfw: fc.boolean(),
  integration_types: fc.option(fc.array(fc.constantFrom(0, 1), { minLength: 1 })),
  contexts: fc.option(fc.array(fc.constantFrom(0, 1, 2), { minLength: 1 })),
});

describe('a command as JSON', () => {
  it('equals the command in the form, in both directions', () => {
    fc.assert(
      fc.property(AnyBody, (body) => {
        expect(parseBody(jsonOf(body))).toEqual({ body });
      }),
    );
  });

  it('is either parsed or refused with a reason, for any text', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((text) => `{"options":[${text}]}`),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const read = parseBody(text);
        if ('fault' in read) expect(read.fault).not.toBe('');
        else expect(parseBody(jsonOf(read.body))).toEqual(read);
      }),
    );
  });

  it.each([
    ['{', 'Invalid JSON'],
    ['[]', 'The command must be an object.'],
    ['{"name":1}', 'name must be a string.'],
    ['{"options":[{"type":"3"}]}', 'options.0.type must be a number.'],
    ['{"options":[{"type":3,"hint":"x"}]}', 'Unknown field “hint” in options.0.'],
    ['{"handler":1}', 'Unknown field “handler”.'],
  ])('%s is refused with a reason', (text, fault) => {
    expect(parseBody(text)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it('without fields is a new command', () => {
    expect(parseBody('{}')).toEqual({ body: NEW_BODY });
  });
});

describe('the options of a command', () => {
  const Options = fc.array(AnyOption, { minLength: 1, maxLength: MOST });

  it('are all kept when one is moved, and return to their places when it is moved back', () => {
    fc.assert(
      fc.property(Options, fc.nat(MOST), fc.integer({ min: -MOST, max: MOST }), (options, at, by) => {
        const index = at % options.length;
        const there = moved(options, index, by);
        expect(new Set(there)).toEqual(new Set(options));
        if (index + by >= 0 && index + by < options.length) expect(moved(there, index + by, -by)).toEqual(options);
        else expect(there).toEqual(options);
      }),
    );
  });

  it('gain one with a name of its own and the type of the last one', () => {
    fc.assert(
      fc.property(Options, (options) => {
        fc.pre(options.length < MOST);
        const more = added(options, null);
        const last = more[more.length - 1];
        expect(options.map(({ name }) => name)).not.toContain(last?.name);
        expect(removed(more, options.length)).toEqual(options);
        expect(last?.type).toBe(options[options.length - 1]?.type);
      }),
    );
  });

  it('are no more than 25', () => {
    const full = Array.from({ length: MOST }, (_, index) => ({ type: 3, name: `o${index}`, description: 'x' }));
    expect(added(full, null)).toEqual(full);
  });

  it('keep only the fields that fit when their type changes', () => {
    fc.assert(
      fc.property(AnyOption, fc.constantFrom(...OPTION_TYPES.map(({ type }) => type)), (option, type) => {
        const next = retyped(option, type);
        expect([next.type, next.name, next.description]).toEqual([type, option.name, option.description]);
        for (const field of ['choices', 'options', 'min_value', 'min_length', 'channel_types', 'required'] as const)
          if (!has(type, field)) expect(next).not.toHaveProperty(field);
        const inside = typesWithin(type).map((one) => one.type);
        for (const inner of next.options ?? []) expect(inside).toContain(inner.type);
      }),
    );
  });

  it('nest twice: groups hold subcommands, and these hold plain options', () => {
    expect(typesWithin(GROUP).map(({ type }) => type)).toEqual([SUBCOMMAND]);
    expect(typesWithin(SUBCOMMAND).some(isFolder)).toBe(false);
    expect(typesWithin(null)).toBe(OPTION_TYPES);
  });
});
