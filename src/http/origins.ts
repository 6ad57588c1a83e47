import type { IncomingHttpHeaders } from 'node:http';
import { LOOPBACK_HOSTS } from '../infra/loopback.js';

/** Whether `host` (as in a URL) is this machine's own. */
function isLoopback(host: string): boolean {
  return LOOPBACK_HOSTS.includes(host);
}

/** Origins whose pages may act with a person's session: the public one, and for a loopback one its other names too. */
function trustedOrigins(publicUrl: string): string[] {
  const url = new URL(publicUrl);
  if (!isLoopback(url.hostname)) return [url.origin];
  const port = url.port === '' ? '' : `:${url.port}`;
  return LOOPBACK_HOSTS.map((host) => `${url.protocol}//${host}${port}`);
}

/** Where a request says it comes from: a trusted origin, another one, or not said (a script, or a same-origin GET). */
export function originOf(publicUrl: string, headers: IncomingHttpHeaders): 'trusted' | 'foreign' | 'unstated' {
  const { origin } = headers;
  if (origin === undefined) return headers['sec-fetch-site'] === 'cross-site' ? 'foreign' : 'unstated';
  return trustedOrigins(publicUrl).includes(origin) ? 'trusted' : 'foreign';
}
