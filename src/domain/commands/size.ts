import type { LocalizationMap } from 'discord-api-types/v10';
import { characters } from '../input.js';
import type { CommandBody, CommandChoice, CommandOption } from './record.js';

type Translations = LocalizationMap | null | undefined;

/**
 * How many characters a command has in names, descriptions and values, with its options and choices; of each text its longest translation
 * counts (Discord's documentation, Application Commands).
 */
export function sizeOf(command: CommandBody): number {
  const name = longest(command.name, command.nameLocalizations);
  return name + longest(command.description, command.descriptionLocalizations) + sum(command.options, optionSize);
}

/** All of a command that may be long. */
export type Texts = Pick<CommandBody, 'nameLocalizations' | 'descriptionLocalizations' | 'options'>;

/** How many characters all of that has as JSON, every translation included. */
export function jsonSizeOf({ nameLocalizations, descriptionLocalizations, options }: Texts): number {
  return JSON.stringify([nameLocalizations, descriptionLocalizations, options]).length;
}

function optionSize(option: CommandOption): number {
  const name = longest(option.name, option.name_localizations);
  const description = longest(option.description, option.description_localizations);
  return name + description + sum(option.choices, choiceSize) + sum(option.options, optionSize);
}

function choiceSize({ name, name_localizations, value }: CommandChoice): number {
  return longest(name, name_localizations) + characters(String(value));
}

function longest(text: string, translations: Translations): number {
  const all = [text, ...Object.values(translations ?? {})];
  return Math.max(...all.map((translation) => characters(translation ?? '')));
}

function sum<Item>(items: Item[] = [], size: (item: Item) => number): number {
  return items.reduce((total, item) => total + size(item), 0);
}

/** Groups, subcommands, options and choices stand in one another in a command, and nothing in these. */
const LEVELS = 4;

/**
 * How many characters a command has at least, whatever it is: one for each of its options and choices. Tells what is far too large before
 * it is looked at closely.
 */
export function leastSizeOf(given: unknown, levels = LEVELS): number {
  if (typeof given !== 'object' || given === null || levels === 0) return 0;
  let size = 0;
  for (const parts of [Reflect.get(given, 'options'), Reflect.get(given, 'choices')]) {
    if (!Array.isArray(parts)) continue;
    for (const part of parts) size += 1 + leastSizeOf(part, levels - 1);
  }
  return size;
}
