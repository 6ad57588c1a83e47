import { Locale } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { CommandRecord } from '../../src/domain/commands/index.js';
import { renderCommand, translated } from '../../src/wire/commands.js';
import { expectReference } from '../harness/reference.js';

const texts = { nameLocalizations: { de: 'spielen' }, descriptionLocalizations: null };
const command: CommandRecord = {
  ...{ id: 1n, applicationId: 2n, scopeId: 0n, version: 3n, type: 1, name: 'play', description: 'Plays', ...texts },
  ...{ defaultMemberPermissions: null, nsfw: false, integrationTypes: [0], contexts: null },
  options: [
    {
      type: 3,
      name: 'song',
      description: 'Which',
      choices: [{ name: 'A', name_localizations: { de: 'Ä' }, value: 'a' }],
    },
    { type: 5, name: 'loud', name_localizations: { de: 'laut' }, description: 'How' },
  ],
};

test('a command with all its localizations has null where the command has none', () => {
  const shown = renderCommand(command);
  expectReference('ApplicationCommandResponse', shown);
  expect(shown).toMatchObject({ name_localizations: { de: 'spielen' }, description_localizations: null });
  expect(shown.options).toEqual(command.options);
});

test("a command in the reader's language omits missing translations", () => {
  const shown = renderCommand(command, { locale: Locale.German });
  expectReference('ApplicationCommandResponse', shown);
  expect(shown).toMatchObject({ name: 'play', name_localized: 'spielen' });
  expect(shown).not.toHaveProperty('description_localized');
  expect(shown.options).toEqual([
    { type: 3, name: 'song', description: 'Which', choices: [{ name: 'A', name_localized: 'Ä', value: 'a' }] },
    { type: 5, name: 'loud', name_localized: 'laut', description: 'How' },
  ]);
  expect(JSON.stringify(renderCommand(command, { locale: null }))).not.toContain('locali');
});

test.each([
  [null, true],
  [[0, 1], true],
  [[0, 2], false],
])('a command in the contexts %j is available in direct messages with the bot: %s', (contexts, dm_permission) => {
  expect(renderCommand({ ...command, contexts })).toMatchObject({ contexts, dm_permission });
});

test('a guild command has its guild_id and no contexts', () => {
  const shown = renderCommand({ ...command, scopeId: 9n, options: [] });
  expect(shown.guild_id).toBe('9');
  for (const field of ['contexts', 'integration_types', 'dm_permission', 'options'])
    expect(shown).not.toHaveProperty(field);
});

test.each([
  ['de', { de: 'a' }, 'a'],
  ['fr', { de: 'a' }, null],
  ['en-US', { 'en-GB': 'colour' }, 'colour'],
  ['en-GB', { 'en-US': 'color', 'en-GB': 'colour' }, 'colour'],
  ['es-419', { 'es-ES': 'b' }, 'b'],
  ['es-ES', { 'es-419': 'b' }, null],
  ['de', null, null],
] as const)('in %s, %j is translated to %j', (locale, given, expected) => {
  expect(translated(given, locale as Locale)).toBe(expected);
});
