import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4 } from 'node:net';
import type { TrustedProxies } from '../config.js';
import { addressOf, networkOf } from '../infra/network/client-networks.js';

/** Returns the address that rate limits use; empty if the connection is closed. */
export type FindClientAddress = (request: IncomingMessage) => string;

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
    if (!isTrusted(address, 0)) return networkOf(address);
    const stated = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').reverse();
    for (const [hop, text] of stated.entries()) {
      const next = isTrusted(address, hop) ? addressOf(text) : null;
      if (next === null) break;
      address = next;
    }
    return networkOf(address);
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
