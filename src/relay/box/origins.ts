import { LOOPBACK_HOSTS } from '../../infra/loopback.js';

/** Whether two texts name one origin; names of the same machine are alike (docs/relay.md, R-12). */
export function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && canonical(new URL(one)) === canonical(new URL(other));
}

/** Whether an origin is this machine's, by its name. */
export function isOnThisMachine(origin: string): boolean {
  return LOOPBACK_HOSTS.includes(new URL(origin).hostname);
}

function canonical({ protocol, hostname, port }: URL): string {
  return `${protocol}//${LOOPBACK_HOSTS.includes(hostname) ? 'localhost' : hostname}:${port}`;
}

/** What is told of a connection that did not come about. */
export function describeDialFault({ message }: Error): string {
  // By `ws`, which says nothing else of it.
  return message.endsWith(' 404') ? `${message}; is there a cloud at that address, and no box?` : message;
}

/** Where a cloud takes boxes' connections (R-1). */
export function relayUrl(cloudUrl: string): string {
  return `${cloudUrl.replace(/^http/, 'ws')}/relay`;
}
