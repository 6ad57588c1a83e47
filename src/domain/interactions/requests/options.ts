import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import type { CommandOption } from '../../commands/record.js';
import { characters } from '../../input.js';
import { fileOfNumber, NO_FILE } from './given-files.js';
import type { InvokedOption } from './input.js';
import {
  NO_ID,
  newReading,
  notOneOf,
  REPEATED,
  REQUIRED,
  type Reading,
  readId,
  type TakenFile,
  tooLong,
  tooShort,
  type ValueFault,
  type Wanted,
} from './reading.js';
import type { GivenOption, GivenParameter } from './request.js';

export interface OptionsRead extends Reading {
  options: GivenOption[];
}

interface OptionsReading extends Reading {
  /** `complete` requests choices for the focused option; others may still be missing. */
  purpose: 'run' | 'complete';
  focused: number;
}

/**
 * Keeps the order of the options.
 * @param known the command's own options
 * @param fileIds ids of the files; an attachment's value is an index into this list
 */
export function readOptions(
  known: readonly CommandOption[],
  given: readonly InvokedOption[],
  purpose: OptionsReading['purpose'],
  fileIds: readonly bigint[] = [],
): OptionsRead {
  const reading: OptionsReading = { ...newReading(fileIds), purpose, focused: 0 };
  const options = readLevel(reading, known, given, 'options');
  if (purpose === 'complete' && reading.focused !== 1) {
    reading.faults.push({
      path: 'options',
      code: 'BASE_TYPE_BAD_LENGTH',
      message: 'Exactly one option must be focused.',
    });
  }
  return { ...reading, options };
}

/** For example `name group sub`. */
export function nameOfChosen(name: string, options: readonly GivenOption[]): string {
  const [chosen] = options;
  return chosen && 'options' in chosen ? `${name} ${nameOfChosen(chosen.name, chosen.options)}` : name;
}

function readLevel(
  reading: OptionsReading,
  known: readonly CommandOption[],
  given: readonly InvokedOption[],
  path: string,
): GivenOption[] {
  const names = given.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) reading.faults.push({ path: `${path}.${index}.name`, ...REPEATED });
  }
  if (known.some(isSubcommand)) requireOneSubcommand(reading, known, given, path);
  else if (reading.purpose === 'run') requireRequired(reading, known, names, path);
  return given.flatMap((option, index) => readOption(reading, known, option, `${path}.${index}`) ?? []);
}

function isSubcommand({ type }: CommandOption): boolean {
  return type === Type.Subcommand || type === Type.SubcommandGroup;
}

function requireOneSubcommand(
  { faults }: Reading,
  known: readonly CommandOption[],
  given: readonly InvokedOption[],
  path: string,
): void {
  if (given.length === 1) return;
  const names = known.map(({ name }) => name).join(', ');
  const code = given.length === 0 ? REQUIRED.code : 'BASE_TYPE_BAD_LENGTH';
  faults.push({ path, code, message: `Exactly one of the subcommands {${names}} is required.` });
}

function requireRequired(
  { faults }: Reading,
  known: readonly CommandOption[],
  names: readonly string[],
  path: string,
): void {
  for (const { name, required } of known) {
    if (!required || names.includes(name)) continue;
    faults.push({ path, code: REQUIRED.code, message: `The option "${name}" is required.` });
  }
}

function readOption(
  reading: OptionsReading,
  known: readonly CommandOption[],
  given: InvokedOption,
  path: string,
): GivenOption | undefined {
  const option = known.find(({ name }) => name === given.name);
  if (!option) {
    reading.faults.push({ path: `${path}.name`, ...notOneOf(known.map(({ name }) => name)) });
    return undefined;
  }
  const { type, name } = option;
  if (given.type !== undefined && given.type !== type) {
    reading.faults.push({ path: `${path}.type`, ...notOneOf([type]) });
    return undefined;
  }
  refuseStrangers(reading, option, given, path);
  if (type === Type.Subcommand || type === Type.SubcommandGroup) {
    return { name, type, options: readLevel(reading, option.options ?? [], given.options ?? [], `${path}.options`) };
  }
  return readParameter(reading, { ...option, type }, given, path);
}

function refuseStrangers(
  { faults, purpose }: OptionsReading,
  option: CommandOption,
  given: InvokedOption,
  path: string,
): void {
  const refuse = (field: string, message: string) =>
    faults.push({ path: `${path}.${field}`, code: 'BASE_TYPE_INVALID', message });
  if (isSubcommand(option)) {
    if (given.value !== undefined) refuse('value', 'Subcommands take options, not a value.');
    if (given.focused) refuse('focused', 'Subcommands do not support autocomplete.');
    return;
  }
  if (given.options?.length) refuse('options', `The option "${option.name}" takes a value, not options.`);
  if (given.focused && purpose === 'run') refuse('focused', 'Options can be focused only for autocomplete.');
}

type Parameter = CommandOption & { type: GivenParameter['type'] };

function readParameter(
  reading: OptionsReading,
  parameter: Parameter,
  given: InvokedOption,
  path: string,
): GivenParameter | undefined {
  if (reading.purpose === 'complete' && given.focused) return readFocused(reading, parameter, given, path);
  const read = given.value === undefined ? { fault: REQUIRED } : readValue(reading, parameter, given.value);
  const { name, type } = parameter;
  if (read.fault === undefined) {
    if (read.wanted) reading.wanted.push({ ...read.wanted, path: `${path}.value` });
    if (read.taken) reading.taken.push({ ...read.taken, path: `${path}.value` });
    return { name, type, value: read.value };
  }
  if (reading.purpose === 'run') reading.faults.push({ path: `${path}.value`, ...read.fault });
  else if (type === Type.String && typeof given.value === 'string') return { name, type, value: given.value };
  return undefined;
}

function readFocused(
  reading: OptionsReading,
  { name, type, autocomplete }: Parameter,
  { value }: InvokedOption,
  path: string,
): GivenParameter {
  reading.focused += 1;
  if (!autocomplete) {
    const message = `The option "${name}" does not support autocomplete.`;
    reading.faults.push({ path: `${path}.focused`, code: 'BASE_TYPE_INVALID', message });
  }
  return { name, type, value: String(value ?? ''), focused: true };
}

type Value = string | number | bigint | boolean;

type ValueRead =
  | {
      value: GivenParameter['value'];
      wanted?: Omit<Wanted, 'path'>;
      taken?: Omit<TakenFile, 'path'>;
      fault?: undefined;
    }
  | { fault: ValueFault };

function readValue(reading: Reading, parameter: Parameter, value: Value): ValueRead {
  switch (parameter.type) {
    case Type.String:
      return readText(parameter, value);
    case Type.Integer:
      return readNumber(parameter, wholeNumber(value));
    case Type.Number:
      return readNumber(parameter, finiteNumber(value));
    case Type.Boolean:
      return typeof value === 'boolean'
        ? { value }
        : { fault: { code: 'BOOLEAN_TYPE_CONVERT', message: 'Must be either true or false.' } };
    case Type.User:
      return readEntity('user', value);
    case Type.Role:
      return readEntity('role', value);
    case Type.Mentionable:
      return readEntity('mentionable', value);
    case Type.Channel:
      return readEntity('channel', value, parameter.channel_types);
    case Type.Attachment:
      return readFile(reading, parameter, value);
  }
}

function readText({ choices, min_length: min, max_length: max }: Parameter, value: Value): ValueRead {
  if (typeof value !== 'string') {
    return { fault: { code: 'STRING_TYPE_CONVERT', message: 'Could not interpret the value as string.' } };
  }
  const length = characters(value);
  if (min !== undefined && length < min) return { fault: tooShort(min) };
  if (max !== undefined && length > max) return { fault: tooLong(max) };
  return readChoice(choices, value);
}

function readNumber(parameter: Parameter, value: number | undefined): ValueRead {
  const { type, choices, min_value: min, max_value: max } = parameter;
  if (value === undefined) {
    const message = type === Type.Integer ? 'The value must be a whole number.' : 'The value must be a number.';
    return { fault: { code: 'NUMBER_TYPE_COERCE', message } };
  }
  if (min !== undefined && value < min) {
    return { fault: { code: 'NUMBER_TYPE_MIN', message: `The value should be greater than or equal to ${min}.` } };
  }
  if (max !== undefined && value > max) {
    return { fault: { code: 'NUMBER_TYPE_MAX', message: `The value should be less than or equal to ${max}.` } };
  }
  return readChoice(choices, value);
}

function readChoice(choices: CommandOption['choices'], value: string | number): ValueRead {
  if (!choices?.length || choices.some((choice) => choice.value === value)) return { value };
  return { fault: notOneOf(choices.map((choice) => choice.value)) };
}

/** From -2^53 + 1 to 2^53 - 1, also as text (Discord's documentation, Application Commands). */
function wholeNumber(value: Value): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? withoutSignOfZero(number) : undefined;
}

/** Largest absolute value of a number (Discord's documentation, Application Command Option Type). */
export const GREATEST_NUMBER = 2 ** 53;

function finiteNumber(value: Value): number | undefined {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) <= GREATEST_NUMBER ? withoutSignOfZero(number) : undefined;
}

const DECIMAL = /^-?\d{1,400}(\.\d{1,400})?(e[-+]?\d{1,4})?$/i;

/** Turns -0 into 0, as JSON serialization does. */
function withoutSignOfZero(value: unknown): number {
  return Number(value) + 0;
}

function readEntity(kind: Wanted['kind'], value: Value, channelTypes?: readonly number[]): ValueRead {
  const id = readId(value);
  return id === undefined ? { fault: NO_ID } : { value: String(id), wanted: { kind, id, channelTypes } };
}

function readFile(reading: Reading, { file_types: types }: Parameter, value: Value): ValueRead {
  const id = fileOfNumber(reading, value);
  return id === undefined ? { fault: NO_FILE } : { value: String(id), taken: { id, types } };
}
