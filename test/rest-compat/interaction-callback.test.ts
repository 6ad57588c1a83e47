import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOCALES, NewCommand } from '../../src/domain/commands/index.js';
import { InteractionCallback } from '../../src/rest-compat/interaction-callback.js';

const registers = (choices: unknown) => {
  const options = [{ type: 3, name: 'text', description: 'What', choices }];
  return NewCommand.safeParse({ name: 'play', description: 'Plays', options }).success;
};
const answers = (choices: unknown) => InteractionCallback.safeParse({ type: 8, data: { choices } });

const name = fc.oneof(
  fc.string({ maxLength: 110, unit: 'grapheme' }),
  fc.constantFrom('', ' x ', '🦉'.repeat(100), 'x'.repeat(101)),
);
const choice = fc.record(
  {
    name,
    name_localizations: fc.option(fc.dictionary(fc.constantFrom(...LOCALES), fc.option(name))),
    value: fc.oneof(name, fc.constant(7)),
  },
  { requiredKeys: ['name', 'value'] },
);

describe('choices of an autocomplete response', () => {
  it('accept everything that choices of a command accept', () => {
    fc.assert(
      fc.property(fc.array(choice, { maxLength: 3 }), (choices) => {
        if (registers(choices)) expect(answers(choices).success).toBe(true);
      }),
    );
  });

  it('may have null and unknown localizations', () => {
    const offered = { name: 'a', name_localizations: { de: 'x', fr: null, klingon: 'y' }, value: 'a' };
    expect(registers([{ ...offered, name_localizations: { de: 'x', fr: null } }])).toBe(true);
    expect(answers([offered]).data).toEqual({
      type: 8,
      choices: [{ name: 'a', name_localizations: { de: 'x', klingon: 'y' }, value: 'a' }],
    });
  });

  it('accept numbers in any notation', () => {
    expect(answers([{ name: 'a', value: 10n ** 16n }]).data).toEqual({
      type: 8,
      choices: [{ name: 'a', value: 1e16 }],
    });
  });

  it.each([
    { name: '', value: 'a' },
    { name: 'x'.repeat(101), value: 'a' },
    { name: 'a', value: 'x'.repeat(101) },
    { name: 'a', value: 'a', name_localizations: { de: '' } },
    { name: 'a', value: null },
  ])('refuse %j', (refused) => {
    expect(answers([refused]).success).toBe(false);
  });
});
