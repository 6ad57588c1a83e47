import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { createClientAddress } from '../../src/http/client-address.js';

function addressOf(trustProxy: string, peer: string, forwarded?: string): string {
  const find = createClientAddress(readConfig(trustProxy === '' ? {} : { TRUST_PROXY: trustProxy }).trustProxy);
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return find({ socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage);
}

describe('without trusted proxies', () => {
  it.each(['203.0.113.9', '127.0.0.1', '1.1.1.1, 2.2.2.2'])('X-Forwarded-For is ignored: %s', (forwarded) => {
    expect(addressOf('', '192.0.2.1', forwarded)).toBe('192.0.2.1');
    expect(addressOf('', '127.0.0.1', forwarded)).toBe('127.0.0.1');
  });
});

describe('with a number of hops', () => {
  it.each([
    ['1', '203.0.113.9', '203.0.113.9'],
    ['1', 'forged, 203.0.113.9', '203.0.113.9'],
    ['1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['2', '198.51.100.1, 203.0.113.9', '198.51.100.1'],
    ['2', '6.6.6.6, 198.51.100.1, 203.0.113.9', '198.51.100.1'],
    ['2', '203.0.113.9', '203.0.113.9'],
    ['3', 'unknown, 203.0.113.9', '203.0.113.9'],
  ])('%s, the address in "%s" is %s', (hops, forwarded, address) => {
    expect(addressOf(hops, '10.0.0.1', forwarded)).toBe(address);
  });
});

describe('with trusted networks', () => {
  const trusted = '10.0.0.0/8, fd00::/8, 192.0.2.7, loopback';

  it.each([
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['192.0.2.7', '203.0.113.9', '203.0.113.9'],
    ['192.0.2.8', '203.0.113.9', '192.0.2.8'],
    ['127.0.0.1', '203.0.113.9, 10.1.1.1', '203.0.113.9'],
    ['::1', '10.9.9.9, 203.0.113.9, 10.1.1.1, fd00::5', '203.0.113.9'],
    ['fd12::1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['203.0.113.1', '198.51.100.1', '203.0.113.1'],
  ])('a request of %s with X-Forwarded-For "%s" comes from %s', (peer, forwarded, address) => {
    expect(addressOf(trusted, peer, forwarded)).toBe(address);
  });

  it('the first untrusted entry from the right is the address, whatever stands before it', () => {
    expect(addressOf(trusted, '10.0.0.1', '198.51.100.1, 10.0.0.5, 203.0.113.9, 10.0.0.2')).toBe('203.0.113.9');
  });
});

describe('an entry of X-Forwarded-For', () => {
  it.each([
    ['203.0.113.9:4711', '203.0.113.9'],
    [' 203.0.113.9 ', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:80', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['2001:DB8:1:2:3:4:5:6', '2001:0db8:0001:0002:0000:0000:0000:0000'],
    ['2001:db8:1:2::9', '2001:0db8:0001:0002:0000:0000:0000:0000'],
    ['[2001:db8:1:2:ffff::]', '2001:0db8:0001:0002:0000:0000:0000:0000'],
    ['[2001:db8:1:2::9]:4711', '2001:0db8:0001:0002:0000:0000:0000:0000'],
    ['fe80::1%eth0', 'fe80:0000:0000:0000:0000:0000:0000:0000'],
    ['::1', '0000:0000:0000:0000:0000:0000:0000:0000'],
  ])('%s is parsed as %s, which is the /64 for IPv6', (entry, address) => {
    expect(addressOf('1', '10.0.0.1', entry)).toBe(address);
  });

  it.each([
    '',
    ' ',
    'unknown',
    '_hidden',
    'localhost',
    '203.0.113',
    '203.0.113.256',
    '010.0.0.1',
    '[203.0.113.9]',
    '::g',
  ])('that is not an address ("%s") is replaced by the proxy that wrote it', (entry) => {
    expect(addressOf('1', '10.0.0.1', entry)).toBe('10.0.0.1');
    expect(addressOf('2', '10.0.0.1', `203.0.113.9, ${entry}`)).toBe('10.0.0.1');
  });
});

test('a request whose connection is closed has no address', () => {
  const find = createClientAddress({ hops: 1 });
  expect(find({ socket: {}, headers: {} } as unknown as IncomingMessage)).toBe('');
});

test('the entry that the proxy appends counts, whatever a client writes', () => {
  const client = fc.oneof(fc.ipV4(), fc.ipV6());
  const written = fc.oneof(fc.string(), fc.ipV4(), fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())).map(String));
  fc.assert(
    fc.property(client, written, (address, forged) => {
      const alone = addressOf('1', '10.0.0.1', address);
      expect(isIP(alone)).toBeGreaterThan(0);
      expect(addressOf('1', '10.0.0.1', `${forged},${address}`)).toBe(alone);
      expect(addressOf('10.0.0.1', '10.0.0.1', `${forged}, ${address}`)).toBe(alone);
    }),
  );
});

test('the result is a valid address, whatever the header', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 32 }), (forged, hops) => {
      expect(isIP(addressOf(String(hops), '10.0.0.1', forged))).toBeGreaterThan(0);
    }),
  );
});

test('two addresses of one IPv6 network count as the same', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.integer({ min: 0, max: 0xffff }), (address, host) => {
      const counted = addressOf('1', '10.0.0.1', address);
      fc.pre(counted.includes(':'));
      const neighbour = [...counted.split(':').slice(0, 7), host.toString(16)].join(':');
      expect(addressOf('1', '10.0.0.1', neighbour)).toBe(counted);
    }),
  );
});
