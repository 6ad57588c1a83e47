import type { CommandRowFragment, CommandType } from '../../../gql/types.js';

export type Translations = Record<string, string>;

export interface Choice {
  name: string;
  name_localizations?: Translations | null;
  value: string | number;
}

/** In wire format. Absent fields have their default. */
export interface Option {
  type: number;
  name: string;
  name_localizations?: Translations | null;
  description: string;
  description_localizations?: Translations | null;
  required?: boolean;
  autocomplete?: boolean;
  choices?: Choice[];
  options?: Option[];
  channel_types?: number[];
  file_types?: string[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
}

/** In wire format, with all fields set. */
export type Body = {
  type: number;
  name: string;
  name_localizations: Translations | null;
  description: string;
  description_localizations: Translations | null;
  options: Option[];
  default_member_permissions: string | null;
  nsfw: boolean;
  /** Null: those the application supports. */
  integration_types: number[] | null;
  /** Null: all. */
  contexts: number[] | null;
};

export const FIELD_NAMES: Record<keyof Body, string> = {
  type: 'Type',
  name: 'Name',
  name_localizations: 'Name translations',
  description: 'Description',
  description_localizations: 'Description translations',
  options: 'Options',
  default_member_permissions: 'Default permissions',
  nsfw: 'Age-restricted',
  integration_types: 'Installation types',
  contexts: 'Interaction contexts',
};

export const CHAT_INPUT = 1;

export const NEW_BODY: Body = {
  type: CHAT_INPUT,
  name: '',
  name_localizations: null,
  description: '',
  description_localizations: null,
  options: [],
  default_member_permissions: null,
  nsfw: false,
  integration_types: null,
  contexts: null,
};

const TYPES: Record<CommandType, number> = { CHAT_INPUT, USER: 2, MESSAGE: 3 };

export function bodyOf(command: CommandRowFragment): Body {
  const given = {
    type: TYPES[command.type],
    name: command.name,
    name_localizations: command.nameLocalizations,
    description: command.description,
    description_localizations: command.descriptionLocalizations,
    options: command.options,
    default_member_permissions: command.defaultMemberPermissions,
    nsfw: command.nsfw,
    integration_types: command.integrationTypes,
    contexts: command.contexts,
  };
  const read = readBody(given);
  if ('fault' in read) throw new Error(read.fault);
  return read.body;
}

/** Omits default values. */
export function jsonOf(body: Body): string {
  return JSON.stringify(said(body), null, 2);
}

/** Omits default values, except of the type, the name and a chat input command's description. */
export function said({ type, name, description, ...rest }: Body): Partial<Body> {
  const saying = Object.entries(rest).filter(([, value]) => !saysNothing(value));
  return {
    type,
    name,
    ...(type === CHAT_INPUT || description !== '' ? { description } : {}),
    ...Object.fromEntries(saying),
  };
}

function saysNothing(value: unknown): boolean {
  return value === null || value === false || (Array.isArray(value) && value.length === 0);
}

export type Read = { body: Body } | { fault: string };

export function parseBody(text: string): Read {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { fault: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  return readBody(json);
}

/** Checks only the shape; the server checks the values. Unknown fields are errors. */
export function readBody(json: unknown): Read {
  try {
    return { body: readCommand(json) };
  } catch (error) {
    if (error instanceof Misshapen) return { fault: error.message };
    throw error;
  }
}

class Misshapen extends Error {}

type Fields = Record<string, unknown>;

type Reader<Value> = (value: unknown, path: string) => Value;

function readCommand(json: unknown): Body {
  const given = fields(json, '');
  const body: Body = {
    type: orElse(number, CHAT_INPUT)(given.type, 'type'),
    name: orElse(text, '')(given.name, 'name'),
    name_localizations: orElse<Translations | null>(translations, null)(given.name_localizations, 'name_localizations'),
    description: orElse(text, '')(given.description, 'description'),
    description_localizations: orElse<Translations | null>(translations, null)(
      given.description_localizations,
      'description_localizations',
    ),
    options: orElse(listOf(option), [])(given.options, 'options'),
    default_member_permissions: orElse<string | null>(text, null)(
      given.default_member_permissions,
      'default_member_permissions',
    ),
    nsfw: orElse(flag, false)(given.nsfw, 'nsfw'),
    integration_types: orElse<number[] | null>(listOf(number), null)(given.integration_types, 'integration_types'),
    contexts: orElse<number[] | null>(listOf(number), null)(given.contexts, 'contexts'),
  };
  refuseOthers(given, body, '');
  return body;
}

const OPTION_FIELDS: { [Field in keyof Required<Option>]: Reader<Required<Option>[Field]> } = {
  type: number,
  name: orElse(text, ''),
  name_localizations: translations,
  description: orElse(text, ''),
  description_localizations: translations,
  required: flag,
  autocomplete: flag,
  choices: listOf(choice),
  options: listOf((value, path) => option(value, path)),
  channel_types: listOf(number),
  file_types: listOf(text),
  min_value: number,
  max_value: number,
  min_length: number,
  max_length: number,
};

function option(value: unknown, path: string): Option {
  const given = fields(value, path);
  const read = Object.entries(OPTION_FIELDS)
    .filter(([name]) => name === 'name' || name === 'description' || name === 'type' || given[name] != null)
    .map(([name, reader]) => [name, (reader as Reader<unknown>)(given[name], `${path}.${name}`)]);
  refuseOthers(given, OPTION_FIELDS, path);
  return Object.fromEntries(read) as Option;
}

function choice(value: unknown, path: string): Choice {
  const given = fields(value, path);
  const read: Choice = {
    name: orElse(text, '')(given.name, `${path}.name`),
    value: textOrNumber(given.value, `${path}.value`),
  };
  if (given.name_localizations != null)
    read.name_localizations = translations(given.name_localizations, `${path}.name_localizations`);
  refuseOthers(given, { name: 1, value: 1, name_localizations: 1 }, path);
  return read;
}

function fields(value: unknown, path: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw misshapen(path, 'an object');
}

function text(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  throw misshapen(path, 'a string');
}

function number(value: unknown, path: string): number {
  if (typeof value === 'number') return value;
  throw misshapen(path, 'a number');
}

function textOrNumber(value: unknown, path: string): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw misshapen(path, 'a string or a number');
}

function flag(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value;
  throw misshapen(path, 'true or false');
}

function translations(value: unknown, path: string): Translations {
  const given = Object.entries(fields(value, path)).filter(([, translation]) => translation !== null);
  return Object.fromEntries(given.map(([locale, translation]) => [locale, text(translation, `${path}.${locale}`)]));
}

function listOf<Value>(read: Reader<Value>): Reader<Value[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw misshapen(path, 'an array');
    return value.map((entry, index) => read(entry, `${path}.${index}`));
  };
}

function orElse<Value>(read: Reader<Value>, otherwise: Value): Reader<Value> {
  return (value, path) => (value == null ? otherwise : read(value, path));
}

function refuseOthers(given: Fields, known: object, path: string): void {
  const other = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (other === undefined) return;
  throw new Misshapen(`Unknown field “${other}”${path === '' ? '' : ` in ${path}`}.`);
}

function misshapen(path: string, wanted: string): Misshapen {
  return new Misshapen(`${path === '' ? 'The command' : path} must be ${wanted}.`);
}
