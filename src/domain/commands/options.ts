import { ChannelType, ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';
import { z } from 'zod';
import { fileTypes } from '../file-types.js';
import { characters, deepListUpTo, fault, listUpTo, maybe, plainText } from '../input.js';
import { limits } from '../limits.js';
import { type Localizations, localizations, translationsOf } from './localizations.js';
import { chatName, choiceName, description } from './names.js';
import { checkSiblings } from './option-rules.js';
import type { CommandChoice, CommandOption } from './record.js';

/** Discord's documentation, Application Command Option Type. */
const MAX_NUMBER = 2 ** 53;

/** From -2^53 + 1 to 2^53 - 1, which zod checks. */
const integer = () => numeric(z.number().int());
const double = () => numeric(z.number().min(-MAX_NUMBER).max(MAX_NUMBER));
const length = (min: number) => maybe(numeric(z.number().int().min(min).max(limits.optionLength)));

/** Converts a bigint to the nearest double, and -0 to 0. */
function numeric(schema: z.ZodType<number, number>) {
  const asNumber = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  return z.preprocess(
    asNumber,
    schema.transform((value) => value || 0),
  );
}

function choiceText() {
  const max = limits.choiceValue;
  return plainText().refine(
    (text) => characters(text) <= max,
    fault('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`),
  );
}

function choiceOf(value: z.ZodType<string | number>) {
  return z.object({ name: choiceName(), name_localizations: localizations(choiceName()), value });
}

/** Wire names. */
export const CHOICE_FIELDS = Object.keys(choiceOf(z.never()).shape);

function choices(value: z.ZodType<string | number>) {
  return maybe(listUpTo(limits.choicesPerOption, choiceOf(value).transform(asChoice)));
}

interface GivenChoice {
  name: string;
  name_localizations?: Localizations;
  value: string | number;
}

function asChoice({ name, name_localizations: given, value }: GivenChoice): CommandChoice {
  const translations = translationsOf(name, given);
  return { name, ...(translations && { name_localizations: translations }), value };
}

function channelTypes() {
  const types = z.enum(ChannelType);
  return maybe(listUpTo(types.options.length, types).transform((values) => [...new Set(values)]));
}

const SPECIAL = [
  'choices',
  'options',
  'channel_types',
  'min_value',
  'max_value',
  'min_length',
  'max_length',
  'autocomplete',
  'file_types',
] as const;

/** {@link checkSilence} checks all fields of other types at once, because each option has many. */
const NOT_HERE = z.custom<undefined>().optional();

/** Refuses fields that the option's type does not have, unless they are empty. */
function checkSilence(fields: object, given: object, checks: z.RefinementCtx): void {
  for (const field of SPECIAL) {
    if (field in fields || saysNothing(Reflect.get(given, field))) continue;
    const message = 'This field is not available for this option type.';
    checks.addIssue({ code: 'custom', path: [field], message, params: { code: 'BASE_TYPE_INVALID' } });
  }
}

function saysNothing(value: unknown): boolean {
  return value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);
}

/** @param fields that only some types have */
function option<Type extends OptionType, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z
    .object({
      type: z.literal(type),
      name: chatName(),
      name_localizations: localizations(chatName()),
      description: description(),
      description_localizations: localizations(description()),
      required: maybe(z.boolean()),
      choices: NOT_HERE,
      options: NOT_HERE,
      channel_types: NOT_HERE,
      min_value: NOT_HERE,
      max_value: NOT_HERE,
      min_length: NOT_HERE,
      max_length: NOT_HERE,
      autocomplete: NOT_HERE,
      file_types: NOT_HERE,
      ...fields,
    })
    .superRefine((given, checks) => checkSilence(fields, given, checks));
}

const STRING = option(OptionType.String, {
  choices: choices(choiceText()),
  autocomplete: maybe(z.boolean()),
  min_length: length(0),
  max_length: length(1),
});
const INTEGER = option(OptionType.Integer, {
  choices: choices(integer()),
  autocomplete: maybe(z.boolean()),
  min_value: maybe(integer()),
  max_value: maybe(integer()),
});
const NUMBER = option(OptionType.Number, {
  choices: choices(double()),
  autocomplete: maybe(z.boolean()),
  min_value: maybe(double()),
  max_value: maybe(double()),
});

/** Wire names. */
export const OPTION_FIELDS = Object.keys(STRING.shape);

interface Choosing {
  choices?: unknown[] | undefined;
  autocomplete?: boolean | undefined;
}

const ONE_WAY = {
  ...fault('BASE_TYPE_INVALID', 'Options with choices cannot have autocomplete.'),
  path: ['autocomplete'],
};

function choosesOneWay({ choices = [], autocomplete }: Choosing): boolean {
  return !autocomplete || choices.length === 0;
}

const range = (path: string) => ({
  ...fault('NUMBER_TYPE_MAX', 'The minimum must not be greater than the maximum.'),
  path: [path],
});

function isRange(least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return least <= most;
}

const PLAIN = [
  STRING.refine(choosesOneWay, ONE_WAY).refine(
    (text) => isRange(text.min_length, text.max_length),
    range('min_length'),
  ),
  INTEGER.refine(choosesOneWay, ONE_WAY).refine((int) => isRange(int.min_value, int.max_value), range('min_value')),
  NUMBER.refine(choosesOneWay, ONE_WAY).refine((num) => isRange(num.min_value, num.max_value), range('min_value')),
  option(OptionType.Boolean, {}),
  option(OptionType.User, {}),
  option(OptionType.Channel, { channel_types: channelTypes() }),
  option(OptionType.Role, {}),
  option(OptionType.Mentionable, {}),
  option(OptionType.Attachment, { file_types: fileTypes() }),
] as const;

const SUBCOMMAND = option(OptionType.Subcommand, { options: optionList(z.discriminatedUnion('type', PLAIN)) });
const GROUP = option(OptionType.SubcommandGroup, {
  options: optionList(z.discriminatedUnion('type', [SUBCOMMAND])),
});

const AnyOption = z.discriminatedUnion('type', [...PLAIN, SUBCOMMAND, GROUP]);

/** Plain options, or subcommands and groups. */
export function commandOptions() {
  return optionList(AnyOption);
}

type GivenOption = { [Field in keyof CommandOption]: CommandOption[Field] | undefined } & {
  type: OptionType;
  name: string;
  name_localizations?: Localizations;
  description: string;
  description_localizations?: Localizations;
};

function optionList(schema: z.ZodType<GivenOption>) {
  return maybe(deepListUpTo(limits.optionsPerCommand, schema.transform(asOption)).superRefine(checkSiblings));
}

/** Drops empty fields. */
function asOption(given: GivenOption): CommandOption {
  const { type, name, description, required } = given;
  const names = translationsOf(name, given.name_localizations);
  const descriptions = translationsOf(description, given.description_localizations);
  const kept: CommandOption = {
    type,
    name,
    ...(names && { name_localizations: names }),
    description,
    ...(descriptions && { description_localizations: descriptions }),
    ...(required === undefined || isFolder(type) ? {} : { required }),
  };
  for (const field of SPECIAL) if (!saysNothing(given[field])) Reflect.set(kept, field, given[field]);
  return kept;
}

function isFolder(type: OptionType): boolean {
  return type === OptionType.Subcommand || type === OptionType.SubcommandGroup;
}
