import { z } from 'zod';
import { fault } from '../input.js';
import { limits } from '../limits.js';

const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost'];

/** Schemes that a browser would act on by itself. */
const DANGEROUS_SCHEMES = [
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'about:',
  'blob:',
  'filesystem:',
  'view-source:',
  'intent:',
  'chrome:',
  'mailto:',
  'tel:',
  'sms:',
  'ws:',
  'wss:',
  'ftp:',
];

/** A scheme, a colon, and an address behind it: after two slashes, or (for an application's own scheme) after one. */
const FULL = /^(https?:\/\/[^/\\]|(?!https?:)[a-z][a-z0-9+.-]*:\/)/i;

/** An application's redirect URIs: full, without fragment and credentials, each once. */
export function redirectUris() {
  const uri = z
    .string()
    .max(limits.redirectUriLength)
    .refine(isRedirectUri, fault('URL_TYPE_INVALID_URL', 'Must be a full URI, without a fragment or credentials.'));
  return z
    .array(uri)
    .transform((uris) => [...new Set(uris)])
    .pipe(z.array(z.string()).max(limits.redirectUris));
}

function isRedirectUri(text: string): boolean {
  if (!FULL.test(text) || !URL.canParse(text) || /[\s\\\p{Cc}]/u.test(text)) return false;
  const url = new URL(text);
  return url.hash === '' && !text.includes('#') && url.username === '' && url.password === '' && !isDangerous(url);
}

function isDangerous(url: URL): boolean {
  return DANGEROUS_SCHEMES.includes(url.protocol);
}

/** Whether only an application on the person's own device can receive what is sent there. */
export function hasCustomScheme(uri: string): boolean {
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
