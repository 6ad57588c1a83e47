import { createHmac } from 'node:crypto';
import { COOKIE_PREFIX } from '../http/page-sessions.js';
import type { KeyRing } from '../infra/crypto/instance-keys.js';
import { isSameSignature } from '../infra/crypto/secrets.js';

const OUR_COOKIES = new RegExp(`(?<=^|;)(\\s*(?:__Secure-)?${COOKIE_PREFIX}\\.\\w+=)([^;]*)`, 'g');

/**
 * Re-signs cookies of older keys with the newest, the only one the library knows. During a rolling restart, all
 * processes accept both keys before any signs with the new one.
 */
export function cookiesByNewest(keys: KeyRing, header: string): string {
  if (keys.length === 1) return header;
  return header.replace(OUR_COOKIES, (_cookie, name: string, value: string) => name + signedByNewest(keys, value));
}

function signedByNewest([newest, ...older]: KeyRing, encoded: string): string {
  const value = decoded(encoded);
  const end = value.lastIndexOf('.');
  const [text, signature] = [value.slice(0, end), value.slice(end + 1)];
  const isAccepted = end > 0 && older.some((key) => isSameSignature(signature, signatureOf(key, text)));
  return isAccepted ? encodeURIComponent(`${text}.${signatureOf(newest, text)}`) : encoded;
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

function signatureOf(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}
