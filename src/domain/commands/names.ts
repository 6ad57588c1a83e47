import type { z } from 'zod';
import { characters, fault, headline, nameText, plainText, trimmedText } from '../input.js';
import { limits } from '../limits.js';
import { isReservedName } from './reserved-names.js';

/** Discord's documentation, Application Command Naming. */
const CHAT_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]+$/u;

/** Discord's words, and in words what they ask for. */
const BAD_CHARACTERS =
  'String value did not match validation regex. A name has letters, digits, hyphens, underscores and apostrophes, and no spaces.';

/** A name of what is typed: a command of type CHAT_INPUT, or an option. In lower case where there is one. */
export function chatName() {
  return plainText()
    .refine(hasLength, { ...badLength(limits.commandName), abort: true })
    .refine((name) => CHAT_NAME.test(name), {
      ...fault('STRING_TYPE_REGEX', BAD_CHARACTERS),
      abort: true,
    })
    .refine(
      (name) => name === name.toLowerCase(),
      fault('APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid: its letters must be in lower case.'),
    );
}

/** A name of a context menu's entry: with spaces and capitals. */
export function menuName() {
  return nameText(limits.commandName.min, limits.commandName.max);
}

/**
 * A command's name that is not reserved. A reserved one is refused as such however it is written, before anything else is said of it.
 * @param schema what other names have to be
 */
export function freeName<Schema extends z.ZodType<string, string>>(schema: Schema) {
  return trimmedName()
    .refine((name) => !isReservedName(name), { ...RESERVED, abort: true })
    .pipe(schema);
}

/** Blanks around a reserved name make no difference; around others they are left to the rules of the name. */
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

/** A description of a command or an option. */
export function description() {
  return trimmedText(limits.commandDescription.min, limits.commandDescription.max);
}

/** A name of a choice, which is shown and not typed. */
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
