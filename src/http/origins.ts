import type { IncomingHttpHeaders } from 'node:http';
import { LOOPBACK_HOSTS } from '../infra/network/loopback.js';

function isLoopback(host: string): boolean {
  return LOOPBACK_HOSTS.includes(host);
}

/** For a loopback public URL, all loopback hosts are trusted. */
function trustedOrigins(publicUrl: string): string[] {
  const url = new URL(publicUrl);
  if (!isLoopback(url.hostname)) return [url.origin];
  const port = url.port === '' ? '' : `:${url.port}`;
  return LOOPBACK_HOSTS.map((host) => `${url.protocol}//${host}${port}`);
}

/** `unstated`: scripts and same-origin GETs send no origin. */
export function originOf(publicUrl: string, headers: IncomingHttpHeaders): 'trusted' | 'foreign' | 'unstated' {
  const { origin } = headers;
  if (origin === undefined) return headers['sec-fetch-site'] === 'cross-site' ? 'foreign' : 'unstated';
  return trustedOrigins(publicUrl).includes(origin) ? 'trusted' : 'foreign';
}
