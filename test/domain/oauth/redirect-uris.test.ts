import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canBePosedAs, isRegistered, redirectUris, registeredUris } from '../../../src/domain/oauth/redirect-uris.js';

const WEB = 'https://client.example/back';

describe('a redirect URI', () => {
  const allowed = [
    WEB,
    'https://client.example',
    'https://client.example:8443/back?a=b',
    'http://localhost/',
    'http://127.0.0.1:3000/back',
    'http://[::1]/',
    'com.example.app:/back',
    'com.example.app://back',
    'COM.example.App:/back',
  ];
  const refused = [
    '',
    'client.example/back',
    '/back',
    'http://client.example/',
    'http://127.0.0.2/',
    'https://client.example/#part',
    'https://client.example/#',
    'https://user@client.example/',
    'https://:word@client.example/',
    'https://client.example/a b',
    'https://client.example/\\x',
    'https://client.example/\t',
    'https:\\\\client.example/',
    'javascript:alert(1)',
    'myapp:/back',
    'data:text/html,x',
    'https://[::1',
  ];

  test.each(allowed)('may be %s', (uri) => {
    expect(redirectUris().parse([uri])).toEqual([uri]);
    expect(registeredUris({ redirectUris: [uri] })).toEqual([uri]);
  });

  test.each(refused)('may not be %s, which is ignored if it is stored', (uri) => {
    expect(redirectUris().safeParse([uri]).success).toBe(false);
    expect(registeredUris({ redirectUris: [WEB, uri] })).toEqual([WEB]);
  });

  test('is stored once, and there are at most ten of at most 512 characters', () => {
    const many = Array.from({ length: 10 }, (_, index) => `${WEB}/${index}`);
    expect(redirectUris().parse([...many, ...many])).toEqual(many);
    expect(redirectUris().safeParse([...many, WEB]).success).toBe(false);
    const long = (length: number) => WEB.padEnd(length, 'x');
    expect(redirectUris().safeParse([long(512)]).success).toBe(true);
    expect(redirectUris().safeParse([long(513)]).success).toBe(false);
  });
});

describe('a stated redirect URI is registered', () => {
  test.each<[string, string, boolean]>([
    [WEB, WEB, true],
    [`${WEB}/`, WEB, false],
    [`${WEB}?a`, WEB, false],
    ['https://client.example:443/back', WEB, false],
    ['https://CLIENT.example/back', WEB, false],
    ['http://localhost:1/back', 'http://localhost:2/back', true],
    ['http://localhost/back', 'http://localhost:2/back', true],
    ['http://localhost:65535', 'http://localhost', true],
    ['http://localhost:1/back', 'http://localhost:2/other', false],
    ['http://localhost:1/back?a=1', 'http://localhost:1/back?a=2', false],
    ['http://127.0.0.1:1/', 'http://localhost:1/', false],
    ['http://[::1]:1/', 'http://[::1]:2/', true],
    ['https://localhost:1/', 'https://localhost:2/', false],
    ['http://client.example:1/', 'http://client.example:2/', false],
    ['http://localhost:1@evil.example/', 'http://localhost:2@evil.example/', false],
    ['http://localhost.evil.example:1/', 'http://localhost:1/', false],
    ['http://localhost:999999/', 'http://localhost/', false],
    ['com.example.app:/a', 'com.example.app:/a', true],
    ['no address', 'no address', false],
  ])('%s as %s: %s', (stated, registered, expected) => {
    expect(isRegistered(stated, ['https://another.example/', registered])).toBe(expected);
  });

  test('at any port of a loopback address only', () => {
    const port = fc.integer({ min: 1, max: 65_535 });
    const host = fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'client.example', '192.168.0.1');
    fc.assert(
      fc.property(host, port, port, fc.webPath(), (name, one, other, path) => {
        const isLoopback = !['client.example', '192.168.0.1'].includes(name);
        const expected = isLoopback || one === other;
        expect(isRegistered(`http://${name}:${one}${path}`, [`http://${name}:${other}${path}`])).toBe(expected);
      }),
    );
  });

  test('never, if none is registered', () => {
    expect(isRegistered(WEB, [])).toBe(false);
  });
});

test.each([
  [false, WEB, false],
  [true, WEB, true],
  [false, 'http://localhost/', false],
  [false, 'com.example.app:/back', true],
  [true, 'com.example.app:/back', true],
])('a client (public: %s) with the redirect URI %s can be impersonated: %s', (publicClient, uri, expected) => {
  expect(canBePosedAs({ publicClient }, uri)).toBe(expected);
});
