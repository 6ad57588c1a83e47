import { promises as dns } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** Returns addresses of both families. Rejects if there are none. */
export type LookUp = (name: string) => Promise<string[]>;

type Network = readonly [address: string, prefix: number];

/** IPv4 ranges without public servers (IANA's registry of special-purpose addresses, and multicast). */
const SPECIAL_IPV4: Network[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** All public IPv6 addresses. Ranges that map, embed or tunnel IPv4 are outside of it or special. */
const GLOBAL_IPV6: Network[] = [['2000::', 3]];

const SPECIAL_IPV6: Network[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

/** This machine and private networks. Link-local addresses are excluded: clouds serve credentials there. */
const PRIVATE_IPV4: Network[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
];

const PRIVATE_IPV6: Network[] = [
  ['::1', 128],
  ['fc00::', 7],
];

const specialIpv4 = listOf('ipv4', SPECIAL_IPV4);
const privateIpv4 = listOf('ipv4', PRIVATE_IPV4);
const globalIpv6 = listOf('ipv6', GLOBAL_IPV6);
const specialIpv6 = listOf('ipv6', SPECIAL_IPV6);
const privateIpv6 = listOf('ipv6', PRIVATE_IPV6);

function listOf(family: 'ipv4' | 'ipv6', networks: Network[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, family);
  return list;
}

/**
 * Allows public addresses without a zone.
 * @param allowPrivate also allows this machine and private networks
 */
export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, 'ipv4') || (allowPrivate && privateIpv4.check(address, 'ipv4'));
    case 6:
      return isPublicIpv6(address) || (allowPrivate && privateIpv6.check(address, 'ipv6'));
    default:
      return false;
  }
}

function isPublicIpv6(address: string): boolean {
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/**
 * Uses DNS only. Unlike the system's lookup, it occupies no thread that files and hashes need.
 * @param servers with ports, instead of the system's
 */
export function lookUpInDns(servers?: string[]): LookUp {
  const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [ipv4, ipv6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (found.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
    return found;
  };
}

/** Also knows names of this machine and of private networks. */
export const lookUpLocally: LookUp = async (name) => {
  const found = await dns.lookup(name, { all: true });
  return found.map(({ address }) => address);
};
