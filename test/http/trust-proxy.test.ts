import type { IncomingMessage } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { REQUESTS_PER_CALLER } from '../../src/domain/limits.js';
import { flood } from '../harness/flood.js';
import { readableLog } from '../harness/log.js';
import { startServer, type TestServer } from '../harness/server.js';
import { socketClient } from '../harness/sockets.js';
import { createBot } from '../harness/world.js';

let server: TestServer;
afterEach(() => server.stop());

async function start(env: Record<string, string>): Promise<Set<string>> {
  server = await startServer({ env: { RATE_LIMITS: 'on', ...env } });
  const find = server.app.clientAddress;
  const counted = new Set<string>();
  server.app.clientAddress = (incoming: IncomingMessage) => {
    const address = find(incoming);
    counted.add(address);
    return address;
  };
  return counted;
}

const FORWARDED = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };

async function askEveryFace(): Promise<void> {
  const json = { method: 'POST', headers: { 'content-type': 'application/json', ...FORWARDED } };
  for (const [path, options] of [
    ['/api/v10/users/@me', { headers: FORWARDED }],
    ['/graphql', { ...json, body: '{"query":"{ __typename }"}' }],
    ['/auth/sign-in/email', { ...json, body: '{}' }],
    ['/oauth2/authorize', { headers: FORWARDED }],
    ['/oauth2/token', { method: 'POST', headers: FORWARDED }],
  ] as const) {
    await (await fetch(server.origin + path, options)).body?.cancel();
  }
  const client = socketClient(server, { headers: FORWARDED });
  await client.iterate({ query: '{ __typename }' }).next();
  await client.dispose();
}

it.each([
  ['nobody', {}, '127.0.0.1'],
  ['one hop', { TRUST_PROXY: '1' }, '203.0.113.9'],
  ['two hops', { TRUST_PROXY: '2' }, '198.51.100.1'],
  ['this machine', { TRUST_PROXY: 'loopback' }, '203.0.113.9'],
  ['another machine', { TRUST_PROXY: '192.0.2.1' }, '127.0.0.1'],
])('trusting %s, every entry point counts by the same address', async (_whom, env: Record<string, string>, address) => {
  const counted = await start(env);
  await askEveryFace();
  expect([...counted]).toEqual([address]);
});

it.each([
  ['once where no proxy is trusted', {}, 1],
  ['not where one is', { TRUST_PROXY: 'loopback' }, 0],
])('the log warns of the header %s', async (_when, env: Record<string, string>, times) => {
  const { log, lines } = readableLog('warn');
  server = await startServer({ env, log });
  for (let n = 0; n < 3; n += 1) await fetch(`${server.origin}/healthz`, { headers: FORWARDED });
  expect(lines.filter((line) => line.includes('TRUST_PROXY'))).toHaveLength(times);
});

it('a refused client behind a proxy does not affect other clients', async () => {
  await start({ TRUST_PROXY: 'loopback' });
  const dead = { authorization: 'Bot x.y.z' };
  const path = '/api/v10/users/@me';
  const many = 20 * REQUESTS_PER_CALLER.points;
  const [wild, quiet] = await Promise.all([
    flood(server, path, many, () => ({ ...dead, 'x-forwarded-for': '203.0.113.1' })),
    flood(server, path, 10, () => ({ ...dead, 'x-forwarded-for': '203.0.113.2' })),
  ]);
  expect(wild['429']).toBeGreaterThan(0);
  expect(quiet).toEqual({ 401: 10 });
});

it('forwarded host and protocol headers have no effect', async () => {
  await start({ TRUST_PROXY: 'loopback' });
  const headers = { ...FORWARDED, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
  const bot = await createBot(server.app);
  for (const path of ['/', '/portal', '/graphql', '/api/v10/gateway/bot', '/.well-known/oauth-authorization-server']) {
    const authorization: Record<string, string> = path.startsWith('/api') ? { authorization: `Bot ${bot.token}` } : {};
    const answer = await fetch(server.origin + path, { headers: { ...headers, ...authorization }, redirect: 'manual' });
    expect([...answer.headers.values(), await answer.text()].join(), path).not.toContain('evil.example');
  }
});
