import { Locale, type LocalizationMap } from 'discord-api-types/v10';
import { z } from 'zod';
import { maybe } from '../input.js';

/** Discord's documentation, Locales. */
export const LOCALES: readonly Locale[] = Object.values(Locale);

/** Null means none, for one locale or all. */
export function localizations(text: z.ZodType<string>) {
  return maybe(z.preprocess(refuseProto, z.partialRecord(z.enum(Locale), text.nullish())));
}

/** Zod's records silently drop this key. */
const PROTO = '__proto__';

function refuseProto(given: unknown, checks: z.RefinementCtx): unknown {
  const holdsProto = typeof given === 'object' && given !== null && Object.hasOwn(given, PROTO);
  if (holdsProto) checks.addIssue({ code: 'unrecognized_keys', keys: [PROTO] });
  return given;
}

export type Localizations = Partial<Record<Locale, string | null | undefined>> | undefined;

/** Only translations that differ from the text. */
export function translationsOf(text: string, given: Localizations): LocalizationMap | undefined {
  if (given === undefined) return undefined;
  const translations: LocalizationMap = {};
  for (const locale of LOCALES) {
    const translation = given[locale];
    if (typeof translation === 'string' && translation !== text) translations[locale] = translation;
  }
  return Object.keys(translations).length === 0 ? undefined : translations;
}
