import type { IncomingHttpHeaders } from 'node:http';
import { Locale } from 'discord-api-types/v10';
import { LOCALES } from '../domain/commands/index.js';

const LANGUAGES_READ = 20;

/**
 * Reads `X-Discord-Locale`, or else `Accept-Language` (Discord docs, Application Commands, Localization). Null for no
 * known locale.
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

/** Most preferred first (RFC 9110, section 12.5.4). */
function acceptedLanguages(header: string): string[] {
  const ranges = header.split(',', LANGUAGES_READ).map((range) => {
    const [language = '', ...parameters] = range.split(';');
    const quality = parameters.find((parameter) => parameter.trim().startsWith('q='));
    return { language, weight: quality === undefined ? 1 : Number(quality.trim().slice(2)) };
  });
  const wanted = ranges.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return wanted.map(({ language }) => language);
}

/** A language alone means its first locale: `en` is `en-US`. */
const BY_TAG: ReadonlyMap<string, Locale> = new Map([
  ...LOCALES.toReversed().map((locale) => [languageOf(locale.toLowerCase()), locale] as const),
  ...LOCALES.map((locale) => [locale.toLowerCase(), locale] as const),
  ['nb', Locale.Norwegian],
  ['nn', Locale.Norwegian],
  ['zh-hant', Locale.ChineseTW],
  ['zh-hk', Locale.ChineseTW],
  ['zh-mo', Locale.ChineseTW],
]);

/** Falls back from `de-AT` to `de` (RFC 4647, section 3.4). */
function knownLocale(tag: string): Locale | null {
  const parts = tag.trim().toLowerCase().split('-', TAG_PARTS);
  for (let count = parts.length; count > 0; count -= 1) {
    const locale = BY_TAG.get(parts.slice(0, count).join('-'));
    if (locale !== undefined) return locale;
  }
  return null;
}

/** Language, script and region. */
const TAG_PARTS = 3;

function languageOf(tag: string): string {
  return tag.split('-', 1)[0] ?? tag;
}
