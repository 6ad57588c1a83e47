import type { LocalizationMap } from 'discord-api-types/v10';
import { characters } from '../input.js';
import type { CommandBody, CommandChoice, CommandOption } from './record.js';

type Translations = LocalizationMap | null | undefined;

/**
 * Characters of all names, descriptions and values, with the longest translation of each (Discord's documentation,
 * Application Commands).
 */
export function sizeOf(command: CommandBody): number {
  const name = longest(command.name, command.nameLocalizations);
  return name + longest(command.description, command.descriptionLocalizations) + sum(command.options, optionSize);
}

export type Texts = Pick<CommandBody, 'nameLocalizations' | 'descriptionLocalizations' | 'options'>;

/** Includes every translation. */
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

/** Groups, subcommands, options and choices. */
const LEVELS = 4;

/** Counts one character per option and choice, to refuse oversized input before parsing it. */
export function leastSizeOf(given: unknown, levels = LEVELS): number {
  if (typeof given !== 'object' || given === null || levels === 0) return 0;
  let size = 0;
  for (const parts of [Reflect.get(given, 'options'), Reflect.get(given, 'choices')]) {
    if (!Array.isArray(parts)) continue;
    for (const part of parts) size += 1 + leastSizeOf(part, levels - 1);
  }
  return size;
}
