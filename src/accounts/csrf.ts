import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { KeyRing } from '../infra/crypto/instance-keys.js';
import { isSameSignature } from '../infra/crypto/secrets.js';
import { sessionCredentials } from './sessions.js';

/** Separates these tokens from the key's other signatures. */
const PURPOSE = 'causeway form';

/** Null without a session. */
export function csrfToken([key]: KeyRing, headers: IncomingHttpHeaders): string | null {
  const session = sessionOf(headers);
  return session === null ? null : tokenBy(key, session);
}

/** Compares in constant time. */
export function csrfTokenFits(keys: KeyRing, headers: IncomingHttpHeaders, token: string): boolean {
  const session = sessionOf(headers);
  if (session === null) return false;
  return keys.some((key) => isSameSignature(token, tokenBy(key, session)));
}

function sessionOf(headers: IncomingHttpHeaders): string | null {
  const credentials = sessionCredentials(headers);
  return credentials && (credentials.authorization ?? credentials.cookie ?? '');
}

function tokenBy(key: string, session: string): string {
  return createHmac('sha256', key).update(`${PURPOSE}\0${session}`).digest('base64url');
}
