import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { readLocale } from '../../src/http/locale.js';

test.each<[IncomingHttpHeaders, string | null]>([
  [{}, null],
  [{ 'accept-language': 'de' }, 'de'],
  [{ 'accept-language': 'de-AT' }, 'de'],
  [{ 'accept-language': 'DE-de' }, 'de'],
  [{ 'accept-language': 'en' }, 'en-US'],
  [{ 'accept-language': 'en-gb' }, 'en-GB'],
  [{ 'accept-language': 'en-AU,en;q=0.9,de;q=0.8' }, 'en-US'],
  [{ 'accept-language': 'pt-PT' }, 'pt-BR'],
  [{ 'accept-language': 'es-MX' }, 'es-ES'],
  [{ 'accept-language': 'es-419' }, 'es-419'],
  [{ 'accept-language': 'sv' }, 'sv-SE'],
  [{ 'accept-language': 'nb-NO' }, 'no'],
  [{ 'accept-language': 'nn' }, 'no'],
  [{ 'accept-language': 'zh' }, 'zh-CN'],
  [{ 'accept-language': 'zh-Hans-SG' }, 'zh-CN'],
  [{ 'accept-language': 'zh-Hant-HK' }, 'zh-TW'],
  [{ 'accept-language': 'zh-HK' }, 'zh-TW'],
  [{ 'accept-language': 'xx, fr;q=0.2, it;q=0.8' }, 'it'],
  [{ 'accept-language': 'fr;q=0, da;q=0.001' }, 'da'],
  [{ 'accept-language': 'fr; q=0.5, da ;q=0.6' }, 'da'],
  [{ 'accept-language': '*' }, null],
  [{ 'accept-language': 'none, xx-de' }, null],
  [{ 'accept-language': ';;,q=,-,de;q=x' }, null],
  [{ 'accept-language': `${'xx,'.repeat(30)}de` }, null],
  [{ 'accept-language': 'de', 'x-discord-locale': 'fr' }, 'fr'],
  [{ 'accept-language': 'de', 'x-discord-locale': 'none' }, null],
])('a request with %j gets the locale %j', (headers, locale) => {
  expect(readLocale(headers)).toBe(locale);
});
