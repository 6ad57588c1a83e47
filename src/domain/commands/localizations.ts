import { Locale, type LocalizationMap } from 'discord-api-types/v10';
import { z } from 'zod';
import { maybe } from '../input.js';

/** The languages that texts may be translated to (Discord's documentation, Locales). */
export const LOCALES: readonly Locale[] = Object.values(Locale);

/** Translations of a text by locale. Null stands for none, of one locale as of all. */
export function localizations(text: z.ZodType<string>) {
  return maybe(z.preprocess(refuseProto, z.partialRecord(z.enum(Locale), text.nullish())));
}

/** The one key that records drop instead of refusing it: they could not hold it. */
const PROTO = '__proto__';

function refuseProto(given: unknown, checks: z.RefinementCtx): unknown {
  const holdsProto = typeof given === 'object' && given !== null && Object.hasOwn(given, PROTO);
  if (holdsProto) checks.addIssue({ code: 'unrecognized_keys', keys: [PROTO] });
  return given;
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
