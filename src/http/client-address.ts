import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { TrustedProxies } from '../config.js';

/** By which address a request counts; empty when its connection is gone already. */
export type FindClientAddress = (request: IncomingMessage) => string;

/** The bits of an IPv6 address that a network gives to one customer, in groups of 16. */
const NETWORK_GROUPS = 4;

/**
 * Makes the one function that tells which address a request comes from. `X-Forwarded-For` is read from the right, as far as
 * proxies that are trusted wrote it: each names whom it was asked by. What stands left of the first address that is not trusted
 * anybody can have written, and an entry that is no address tells nothing but that a trusted proxy passed it on.
 *
 * An IPv6 address stands for its /64, of which one client has all addresses: it ends in four groups of zeros.
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

/** An address as proxies write it, also with a port, in brackets or with a zone; null for anything else, such as `unknown`. */
function addressOf(text: string): string | null {
  const [, inBrackets, withPort] = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text.trim()) ?? [];
  const address = (inBrackets ?? withPort ?? text.trim()).replace(/%.*$/, '');
  const version = isIP(address);
  if (version === 6) return unmapped(groupsOf(address));
  return version === 4 && inBrackets === undefined ? address : null;
}

/** The eight groups of an IPv6 address, each of four digits. */
function groupsOf(address: string): string[] {
  const [start = '', end = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [start, end].map((groups) => groups.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill('0');
  return [...(before ?? []), ...zeros, ...(after ?? [])].map((group) => group.padStart(4, '0'));
}

/** An IPv4 address that a socket of both families shows as an IPv6 one is written as what it is. */
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
