import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAllowedAddress, type LookUp, lookUpInDns, lookUpLocally } from '../../../src/infra/network/addresses.js';

/** The first and the last address of every network that is not public, and some more addresses. */
const NOT_PUBLIC = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.1', '127.255.255.255'],
  ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.1', '203.0.113.1'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['::', '::1', '::7f00:1', '::127.0.0.1'],
  ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
  ['64:ff9b::', '64:ff9b::127.0.0.1', '64:ff9b:1::1'],
  ['100::1', '2001::1', '2001:10::1', '2001:20::1', '2001:db8::1', '3fff::1'],
  ['2002::1', '2002:7f00:1::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::', 'fe80::1%lo', 'febf::1', 'fec0::1'],
  ['ff00::', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
].flat();

const PUBLIC = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
];
const PUBLIC_IPV6 = ['2606:4700::1111', '2a00:1450:4001::200e', '2003::1'];

describe('the address of a public server', () => {
  it.each(NOT_PUBLIC)('is not %s', (address) => {
    expect(isAllowedAddress(address, false)).toBe(false);
  });

  it.each([...PUBLIC, ...PUBLIC_IPV6])('may be %s', (address) => {
    expect(isAllowedAddress(address, false)).toBe(true);
  });

  it.each(['2606:4700::1111%1', 'localhost', '', '1.1.1', '0x7f.1', '[2606:4700::1111]'])('is not "%s"', (text) => {
    expect(isAllowedAddress(text, false)).toBe(false);
    expect(isAllowedAddress(text, true)).toBe(false);
  });

  it('is never an IPv4 address in IPv6 notation', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(byte, byte, byte, byte, (a, b, c, d) => {
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const form of [`::${hex}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`, `2001::${hex}`]) {
          expect(isAllowedAddress(form, false)).toBe(false);
        }
      }),
    );
  });
});

describe('the address of a server, if private networks are allowed', () => {
  it.each(['127.0.0.1', '127.1.2.3', '10.1.1.1', '172.20.0.1', '192.168.1.1', '100.100.0.1', '::1', 'fd00::1'])(
    'may be %s',
    (address) => {
      expect(isAllowedAddress(address, true)).toBe(true);
    },
  );

  it.each(['0.0.0.0', '169.254.169.254', '192.0.0.1', '224.0.0.1', '255.255.255.255', '::', 'fe80::1', 'ff02::1'])(
    'is still not %s',
    (address) => {
      expect(isAllowedAddress(address, true)).toBe(false);
    },
  );
});

const [A, AAAA] = [1, 28];
const ANSWERED = 0x8180;
const NO_SUCH_NAME = 0x8183;

/** The answer to a question with one name: a header, the question, and a record for each address. */
function answer(query: Buffer, flags: number, addresses: Buffer[]): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const header = Buffer.from(query.subarray(0, 12));
  for (const [index, value] of [flags, 1, addresses.length, 0, 0].entries()) header.writeUInt16BE(value, 2 + index * 2);
  const type = query.subarray(end - 4, end - 2);
  const records = addresses.map((address) =>
    Buffer.concat([Buffer.from([0xc0, 12]), type, Buffer.from([0, 1, 0, 0, 0, 0, 0, address.length]), address]),
  );
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

describe('the lookup of a name', () => {
  const server = createSocket('udp4');
  let lookUp: LookUp;
  beforeAll(async () => {
    server.on('message', (query, { port, address }) => {
      const name = query.subarray(13, 13 + (query[12] ?? 0)).toString();
      const type = query.readUInt16BE(query.indexOf(0, 12) + 1);
      const [ipv4, ipv6] = [Buffer.from([1, 2, 3, 4]), Buffer.from('26064700000000000000000000001111', 'hex')];
      const has = (name.includes('four') && type === A) || (name.includes('six') && type === AAAA);
      const records = has ? [type === A ? ipv4 : ipv6] : [];
      server.send(answer(query, name === 'none' ? NO_SUCH_NAME : ANSWERED, records), port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    lookUp = lookUpInDns([`127.0.0.1:${server.address().port}`]);
  });
  afterAll(() => server.close());

  it.each([
    ['four-and-six', ['1.2.3.4', '2606:4700::1111']],
    ['four', ['1.2.3.4']],
    ['six', ['2606:4700::1111']],
  ])('with %s addresses returns all of them', async (name, addresses) => {
    expect(await lookUp(`${name}.example`)).toEqual(addresses);
  });

  it.each(['none', 'empty'])('without an address (%s) fails', async (name) => {
    await expect(lookUp(`${name}.example`)).rejects.toThrow();
  });

  it('of this machine uses the operating system', async () => {
    const found = await lookUpLocally('localhost');
    expect(found.every((address) => isAllowedAddress(address, true))).toBe(true);
    expect(found.length).toBeGreaterThan(0);
  });
});
