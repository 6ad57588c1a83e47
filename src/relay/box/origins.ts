import { LOOPBACK_HOSTS } from '../../infra/loopback.js';

/** Whether two texts name one origin; names of the same machine are alike (docs/relay.md, R-12). */
export function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && canonical(new URL(one)) === canonical(new URL(other));
}

function canonical({ protocol, hostname, port }: URL): string {
  return `${protocol}//${LOOPBACK_HOSTS.includes(hostname) ? 'localhost' : hostname}:${port}`;
}

/** Where a cloud takes boxes' connections (R-1). */
export function relayUrl(cloudUrl: string): string {
  return `${cloudUrl.replace(/^http/, 'ws')}/relay`;
}
