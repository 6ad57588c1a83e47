import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { KeyRing } from '../infra/instance-keys.js';
import { isSameSignature } from '../infra/secrets.js';
import { sessionCredentials } from './sessions.js';

/** Sets these tokens apart from whatever else is signed with the same key. */
const PURPOSE = 'causeway form';

/** A text that only who holds both the session and the instance's key can make; null without a session. */
export function csrfToken([key]: KeyRing, headers: IncomingHttpHeaders): string | null {
  const session = sessionOf(headers);
  return session === null ? null : tokenBy(key, session);
}

/** Whether `token` was made for this session, in a time that tells nothing about the right one. */
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
