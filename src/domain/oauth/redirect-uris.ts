import { z } from 'zod';
import type { Application } from '../../infra/database/index.js';
import { storedStrings } from '../../infra/database/stored.js';
import { LOOPBACK_HOSTS } from '../../infra/network/loopback.js';
import { fault, plainText } from '../input.js';
import { limits } from '../limits.js';

/**
 * A private-use scheme needs a dot in its name (RFC 8252, section 7.1). Browsers and operating systems handle no such
 * scheme themselves.
 */
const FULL = /^(https?:\/\/[^/\\]|[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\/)/i;

const REFUSAL =
  'Must be a full https:// URL, an http:// URL on localhost, 127.0.0.1 or [::1], or a URL with a private-use scheme such as com.example.app:/. Fragments and credentials are not allowed.';

export function redirectUris() {
  const uri = plainText()
    .pipe(z.string().max(limits.redirectUriLength))
    .refine(isRedirectUri, fault('URL_TYPE_INVALID_URL', REFUSAL));
  return z
    .array(uri)
    .transform((uris) => [...new Set(uris)])
    .pipe(z.array(z.string()).max(limits.redirectUris));
}

/** Skips stored URIs that are no longer valid. */
export function registeredUris({ redirectUris }: Pick<Application, 'redirectUris'>): string[] {
  return storedStrings(redirectUris).filter(isRedirectUri);
}

function isRedirectUri(text: string): boolean {
  if (!FULL.test(text) || !URL.canParse(text) || /[\s\\\p{Cc}]/u.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isSafe = protocol !== 'http:' || LOOPBACK_HOSTS.includes(hostname);
  return isSafe && !text.includes('#') && username === '' && password === '';
}

/** Other programs can pose as a client without a secret or with a custom scheme. */
export function canBePosedAs({ publicClient }: Pick<Application, 'publicClient'>, redirectUri: string): boolean {
  return publicClient || hasCustomScheme(redirectUri);
}

function hasCustomScheme(uri: string): boolean {
  return !['http:', 'https:'].includes(new URL(uri).protocol);
}

/**
 * Compares exactly, but ignores the port of loopback addresses, which native clients choose freely (RFC 8252, section
 * 7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (!URL.canParse(uri)) return false;
  if (registered.includes(uri)) return true;
  const wanted = withoutLoopbackPort(uri);
  return wanted !== null && registered.some((candidate) => withoutLoopbackPort(candidate) === wanted);
}

function withoutLoopbackPort(uri: string): string | null {
  const match = /^http:\/\/([^/?#:[\]@]+|\[[^\]]*\])(?::\d{1,5})?(?=[/?]|$)(.*)$/.exec(uri);
  const [, host = '', rest = ''] = match ?? [];
  return LOOPBACK_HOSTS.includes(host) ? `http://${host}${rest}` : null;
}
