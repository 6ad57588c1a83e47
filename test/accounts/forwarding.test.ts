import { expect, test } from 'vitest';
import { requestFor } from '../../src/accounts/forwarding.js';
import type { AppContext } from '../../src/context.js';

const app = { addresses: { publicUrl: 'http://localhost:4000' }, keys: { accounts: ['key'] } } as unknown as AppContext;
const address = '192.0.2.1';

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['nothing', {}, {}],
  ['a cookie', { cookie: 'a=b' }, { cookie: 'a=b' }],
  ['a bearer', { authorization: 'Bearer x' }, { authorization: 'Bearer x' }],
  ['both, of which the header speaks', { authorization: 'Bearer x', cookie: 'a=b' }, { authorization: 'Bearer x' }],
  ['the name of a program', { 'user-agent': 'bot' }, { 'user-agent': 'bot' }],
  ['a long name of a program', { 'user-agent': 'x'.repeat(600) }, { 'user-agent': 'x'.repeat(512) }],
  ['what the library needs not', { 'x-forwarded-for': '198.51.100.1', 'x-causeway-address': '198.51.100.1' }, {}],
])('for a request with %s the library gets only the headers that it needs', async (_what, headers, expected) => {
  const request = requestFor(app, '/auth/get-session', { address, headers });
  expect([request.method, request.url]).toEqual(['GET', 'http://localhost:4000/auth/get-session']);
  expect(Object.fromEntries(request.headers)).toEqual({ 'x-causeway-address': address, ...expected });
});

test('a request with a body becomes a POST with JSON', async () => {
  const request = requestFor(app, '/auth/sign-out', { address, headers: {} }, { a: 1 });
  expect([request.method, request.headers.get('content-type'), await request.json()]).toEqual([
    'POST',
    'application/json',
    { a: 1 },
  ]);
});

test('a request with an Authorization header that is not a Bearer token is refused', () => {
  expect(() => requestFor(app, '/', { address, headers: { authorization: 'Basic x' } })).toThrow('must be "Bearer"');
});
