import { isIP } from 'node:net';

/** Groups of 16 bits in a /64. */
const NETWORK_GROUPS = 4;

/** Accepts a port, brackets and a zone. Null for anything else, such as `unknown`. */
export function addressOf(text: string): string | null {
  const [, inBrackets, withPort] = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text.trim()) ?? [];
  const address = (inBrackets ?? withPort ?? text.trim()).replace(/%.*$/, '');
  const version = isIP(address);
  if (version === 6) return unmapped(groupsOf(address));
  return version === 4 && inBrackets === undefined ? address : null;
}

/** Eight groups of four hex digits. */
function groupsOf(address: string): string[] {
  const [start = '', end = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [start, end].map((groups) => groups.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill('0');
  return [...(before ?? []), ...zeros, ...(after ?? [])].map((group) => group.padStart(4, '0'));
}

/** Converts an IPv4-mapped address, as dual-stack sockets report it. */
function unmapped(groups: string[]): string {
  const address = groups.join(':');
  const [, high = '', low = ''] = /^(?:0000:){5}ffff:(....):(....)$/.exec(address) ?? [];
  if (high === '') return address;
  return [...Buffer.from(high + low, 'hex')].join('.');
}

/** The address that limits count for: of IPv6, the /64, which usually belongs to one customer. @param address from {@link addressOf} */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const groups = address.split(':');
  return [...groups.slice(0, NETWORK_GROUPS), ...Array<string>(8 - NETWORK_GROUPS).fill('0000')].join(':');
}
