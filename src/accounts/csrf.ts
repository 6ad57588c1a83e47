import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sessionCredentials } from './sessions.js';

/** Sets these tokens apart from whatever else is signed with the same secret. */
const PURPOSE = 'causeway form';

/** A text that only who holds both the session and the instance's secret can make; null without a session. */
export function csrfToken(secret: string, headers: IncomingHttpHeaders): string | null {
  const credentials = sessionCredentials(headers);
  if (!credentials) return null;
  const session = credentials.authorization ?? credentials.cookie ?? '';
  return createHmac('sha256', secret).update(`${PURPOSE}\0${session}`).digest('base64url');
}

/** Whether `token` was made for this session, in a time that tells nothing about the right one. */
export function csrfTokenFits(secret: string, headers: IncomingHttpHeaders, token: string): boolean {
  const right = csrfToken(secret, headers);
  if (right === null) return false;
  const [expected, given] = [right, token].map((text) => createHmac('sha256', secret).update(text).digest());
  return expected !== undefined && given !== undefined && timingSafeEqual(expected, given);
}
