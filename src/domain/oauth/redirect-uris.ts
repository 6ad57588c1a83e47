import { z } from 'zod';
import type { Application } from '../../infra/database/index.js';
import { storedStrings } from '../../infra/database/stored.js';
import { LOOPBACK_HOSTS } from '../../infra/loopback.js';
import { fault, plainText } from '../input.js';
import { limits } from '../limits.js';

/**
 * A web address with its two slashes and a host, or an address of a private-use scheme, which has a dot in it like the domain it
 * is made from (RFC 8252, section 7.1): no scheme that a browser or a system acts on by itself has one.
 */
const FULL = /^(https?:\/\/[^/\\]|[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\/)/i;

const REFUSAL =
  'Must be a full https:// address, an http:// address of localhost, 127.0.0.1 or [::1], or one of a private-use scheme with a dot in it such as com.example.app:/, without a fragment or credentials.';

/** An application's redirect URIs: full, without fragment and credentials, each once. */
export function redirectUris() {
  const uri = plainText()
    .pipe(z.string().max(limits.redirectUriLength))
    .refine(isRedirectUri, fault('URL_TYPE_INVALID_URL', REFUSAL));
  return z
    .array(uri)
    .transform((uris) => [...new Set(uris)])
    .pipe(z.array(z.string()).max(limits.redirectUris));
}

/** The redirect URIs that count: one that was kept before it came to be refused is as if it were not registered. */
export function registeredUris({ redirectUris }: Pick<Application, 'redirectUris'>): string[] {
  return storedStrings(redirectUris).filter(isRedirectUri);
}

function isRedirectUri(text: string): boolean {
  if (!FULL.test(text) || !URL.canParse(text) || /[\s\\\p{Cc}]/u.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isSafe = protocol !== 'http:' || LOOPBACK_HOSTS.includes(hostname);
  return isSafe && !text.includes('#') && username === '' && password === '';
}

/** Whether another program can pose as the client: it has no secret, or is answered at a scheme that any could claim. */
export function canBePosedAs({ publicClient }: Pick<Application, 'publicClient'>, redirectUri: string): boolean {
  return publicClient || hasCustomScheme(redirectUri);
}

/** Whether only an application on the person's own device can receive what is sent there. */
function hasCustomScheme(uri: string): boolean {
  return !['http:', 'https:'].includes(new URL(uri).protocol);
}

/**
 * Whether `uri` is one of the registered ones: equal to the letter, except that the port of a loopback address may differ,
 * since a native client takes any free one (RFC 8252, section 7.3).
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
