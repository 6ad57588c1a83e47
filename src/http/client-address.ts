import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { TrustedProxies } from '../config.js';

/** Returns the address that rate limits use; empty if the connection is closed. */
export type FindClientAddress = (request: IncomingMessage) => string;

/** Groups of 16 bits in a /64. */
const NETWORK_GROUPS = 4;

/**
 * Reads `X-Forwarded-For` from the right, as far as trusted proxies wrote it. Clients can forge the rest. An invalid
 * entry ends the search.
 *
 * IPv6 addresses are reduced to their /64, which usually belongs to one customer.
 */
export function createClientAddress(proxies: TrustedProxies | null): FindClientAddress {
  const isTrusted = trustIn(proxies);
  return ({ socket, headers }) => {
    let address = addressOf(socket.remoteAddress ?? '') ?? '';
    if (!isTrusted(address, 0)) return network(address);
    const stated = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').reverse();
    for (const [hop, text] of stated.entries()) {
      const next = isTrusted(address, hop) ? addressOf(text) : null;
      if (next === null) break;
      address = next;
    }
    return network(address);
  };
}

function trustIn(proxies: TrustedProxies | null): (address: string, hop: number) => boolean {
  if (proxies === null) return () => false;
  if ('hops' in proxies) return (_address, hop) => hop < proxies.hops;
  const networks = new BlockList();
  for (const { address, prefix } of proxies.networks) networks.addSubnet(address, prefix, familyOf(address));
  return (address) => address !== '' && networks.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** Accepts a port, brackets and a zone. Null for anything else, such as `unknown`. */
function addressOf(text: string): string | null {
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

function network(address: string): string {
  if (!address.includes(':')) return address;
  const groups = address.split(':');
  return [...groups.slice(0, NETWORK_GROUPS), ...Array<string>(8 - NETWORK_GROUPS).fill('0000')].join(':');
}
