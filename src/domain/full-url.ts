import { z } from 'zod';
import { fault, trimmed } from './input.js';
import { limits } from './limits.js';

/**
 * Empty text becomes null.
 * @param protocols such as `https:`
 */
export function fullUrl(...protocols: string[]) {
  const beginnings = protocols.map((protocol) => `${protocol}//`).join(' or ');
  const message = `Must be a full URL that starts with ${beginnings} and contains a host.`;
  return trimmed()
    .pipe(z.string().max(limits.urlLength))
    .refine((text) => text === '' || isFullUrl(text, protocols), { ...fault(CODE, message), abort: true })
    .refine((text) => text === '' || !hasCredentials(text), fault(CODE, 'Must not contain a username or password.'))
    .transform((text) => (text === '' ? null : text));
}

const CODE = 'URL_TYPE_INVALID_URL';

function isFullUrl(text: string, protocols: string[]): boolean {
  if (!URL.canParse(text) || /[\s\\\p{Cc}]/u.test(text)) return false;
  // Browsers accept three or more slashes and ignore the surplus.
  const isFull = /^[a-z]+:\/\/[^/]/i.test(text);
  return isFull && protocols.includes(new URL(text).protocol);
}

function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
