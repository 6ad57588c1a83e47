import { LOOPBACK_HOSTS } from '../../infra/network/loopback.js';

/** Names of the same machine count as equal (docs/relay.md, R-12). */
export function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && canonical(new URL(one)) === canonical(new URL(other));
}

export function isOnThisMachine(origin: string): boolean {
  return LOOPBACK_HOSTS.includes(new URL(origin).hostname);
}

function canonical({ protocol, hostname, port }: URL): string {
  return `${protocol}//${LOOPBACK_HOSTS.includes(hostname) ? 'localhost' : hostname}:${port}`;
}

export function describeDialFault({ message }: Error): string {
  // `ws` reports the status only in this text.
  return message.endsWith(' 404')
    ? `${message}; check that CLOUD_URL is the address of a cloud, not of a box`
    : message;
}

/** See docs/relay.md, R-1. */
export function relayUrl(cloudUrl: string): string {
  return `${cloudUrl.replace(/^http/, 'ws')}/relay`;
}
