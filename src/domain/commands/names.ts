import type { z } from 'zod';
import { characters, fault, headline, nameText, plainText, trimmedText } from '../input.js';
import { limits } from '../limits.js';
import { isReservedName } from './reserved-names.js';

/** Discord's documentation, Application Command Naming. */
const CHAT_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]+$/u;

/** Discord's message with an explanation. */
const BAD_CHARACTERS =
  'String value did not match validation regex. Names can contain letters, digits, hyphens, underscores and apostrophes, but no spaces.';

/** For a CHAT_INPUT command or an option. Must be in lower case if its script has cases. */
export function chatName() {
  return plainText()
    .refine(hasLength, { ...badLength(limits.commandName), abort: true })
    .refine((name) => CHAT_NAME.test(name), {
      ...fault('STRING_TYPE_REGEX', BAD_CHARACTERS),
      abort: true,
    })
    .refine(
      (name) => name === name.toLowerCase(),
      fault('APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid: letters must be lowercase.'),
    );
}

/** Allows spaces and capitals. */
export function menuName() {
  return nameText(limits.commandName.min, limits.commandName.max);
}

/** Checks for reserved names first. @param schema rules for other names */
export function freeName<Schema extends z.ZodType<string, string>>(schema: Schema) {
  return trimmedName()
    .refine((name) => !isReservedName(name), { ...RESERVED, abort: true })
    .pipe(schema);
}

/** Trims reserved names only. The schema decides about whitespace in others. */
function trimmedName() {
  return plainText().transform((name) => (isReservedName(name) ? name.trim() : name));
}

const RESERVED = headline(
  'APPLICATION_COMMAND_NAME_RESERVED',
  (name) => `The command name "${name}" is reserved for a built-in command.`,
  (names) =>
    `Command names reserved for built-in commands: ${listed(names)}. Rename them, or ask the operator of this instance to set BUILT_IN_COMMANDS=off.`,
);

function listed(names: readonly unknown[]): string {
  return [...new Set(names)].map((name) => `"${name}"`).join(', ');
}

export function description() {
  return trimmedText(limits.commandDescription.min, limits.commandDescription.max);
}

export function choiceName() {
  return trimmedText(limits.choiceName.min, limits.choiceName.max);
}

function hasLength(name: string): boolean {
  const length = characters(name);
  return length >= limits.commandName.min && length <= limits.commandName.max;
}

function badLength({ min, max }: { min: number; max: number }) {
  return fault('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
}
