import { Locale, type LocalizationMap } from 'discord-api-types/v10';
import { z } from 'zod';
import { maybe } from '../input.js';

/** The languages that texts may be translated to (Discord's documentation, Locales). */
export const LOCALES: readonly Locale[] = Object.values(Locale);

/** Translations of a text by locale. Null stands for none, of one locale as of all. */
export function localizations(text: z.ZodType<string>) {
  return maybe(z.partialRecord(z.enum(Locale), text.nullish()));
}

/** What {@link localizations} yields. */
export type Localizations = Partial<Record<Locale, string | null | undefined>> | undefined;

/** The translations that say something: those that are not the text itself. Undefined where there is none. */
export function translationsOf(text: string, given: Localizations): LocalizationMap | undefined {
  if (given === undefined) return undefined;
  const translations: LocalizationMap = {};
  for (const locale of LOCALES) {
    const translation = given[locale];
    if (typeof translation === 'string' && translation !== text) translations[locale] = translation;
  }
  return Object.keys(translations).length === 0 ? undefined : translations;
}
