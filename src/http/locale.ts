import type { IncomingHttpHeaders } from 'node:http';
import type { Locale } from 'discord-api-types/v10';
import { LOCALES } from '../domain/commands/index.js';

/** How many languages of a header are looked at. */
const LANGUAGES_READ = 20;

/**
 * In which language a caller reads: by `X-Discord-Locale`, without that by `Accept-Language` (Discord's documentation, Application
 * Commands, Localization). Null for none, or none that is known.
 */
export function readLocale(headers: IncomingHttpHeaders): Locale | null {
  const stated = headers['x-discord-locale'];
  if (stated !== undefined) return knownLocale(String(stated));
  for (const language of acceptedLanguages(headers['accept-language'] ?? '')) {
    const locale = knownLocale(language);
    if (locale !== null) return locale;
  }
  return null;
}

/** The languages of `Accept-Language`, the dearest first (RFC 9110, section 12.5.4). */
function acceptedLanguages(header: string): string[] {
  const ranges = header.split(',', LANGUAGES_READ).map((range) => {
    const [language = '', ...parameters] = range.split(';');
    const quality = parameters.find((parameter) => parameter.trim().startsWith('q='));
    return { language, weight: quality === undefined ? 1 : Number(quality.trim().slice(2)) };
  });
  const wanted = ranges.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return wanted.map(({ language }) => language);
}

/** A locale by its name, or by that of a language of which it is the only kind: `de-AT` is `de`. */
function knownLocale(name: string): Locale | null {
  const wanted = name.trim().toLowerCase();
  const named = (text: string) => LOCALES.find((locale) => locale.toLowerCase() === text);
  return named(wanted) ?? named(wanted.split('-', 1)[0] ?? '') ?? null;
}
