import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { routes } from '../../src/rest-compat/table.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { openWebhook, type RestWebhook } from '../harness/webhooks.js';

let server: TestServer;
let scene: Scene;
let webhook: RestWebhook;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
  webhook = await openWebhook(scene);
});

const ORIGIN = 'https://embeds.example';

const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(server.origin + path, { method, headers: { origin: ORIGIN, ...headers } });

const preflight = (method: string, path: string) =>
  ask('OPTIONS', path, {
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  });

const isOpen = ({ headers }: Response) => headers.get('access-control-allow-origin') === '*';

const concrete = (path: string) => path.replaceAll(/:\w+/g, '1');

describe('a page of another origin', () => {
  it.each([
    ['GET', '/openapi.json', 200],
    ['GET', '/.well-known/oauth-authorization-server', 200],
    ['GET', '/api/v10/gateway', 200],
    ['GET', '/api/v10/users/@me', 401],
    ['GET', '/api/v10/nowhere', 404],
    ['GET', '/api/v8/users/@me', 400],
    ['PUT', '/api/v10/users/@me', 405],
    ['POST', '/api/v10/webhooks/1/x', 401],
    ['POST', '/api/v10/oauth2/token', 400],
    ['GET', '/api/oauth2/token', 405],
    ['POST', '/oauth2/token/revoke', 400],
    ['PUT', '/openapi.json', 405],
  ])('can read the response to %s %s and its rate limits', async (method, path, status) => {
    const answer = await ask(method, path);
    expect([answer.status, isOpen(answer)]).toEqual([status, true]);
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/Retry-After.*X-RateLimit-Remaining/);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();

    const before = await preflight(method, path);
    expect([before.status, isOpen(before)]).toEqual([204, true]);
    expect(before.headers.get('access-control-allow-headers')).toBe('*, Authorization');
    expect(before.headers.get('access-control-allow-methods')).toContain(method);
  });

  it('can use every REST route that ignores cookies', async () => {
    for (const { method, path, callers } of routes) {
      const before = await preflight(method, `/api/v10${concrete(path)}`);
      expect([before.status, isOpen(before)], `${method} ${path}`).toEqual(
        callers.includes('session') ? [405, false] : [204, true],
      );
    }
  });

  it.each([
    ['GET', '/api/v10/developer-portal/teams'],
    ['POST', '/api/v10/developer-portal/applications/1/reset-secret'],
    ['GET', '/graphql?query={me{id}}'],
    ['POST', '/graphql'],
    ['GET', '/auth/get-session'],
    ['POST', '/auth/sign-in/email'],
    ['GET', '/oauth2/authorize'],
    ['POST', '/oauth2/sign-in'],
    ['GET', '/portal'],
  ])('cannot read the response to %s %s, which accepts cookies', async (method, path) => {
    for (const answer of [await ask(method, path), await preflight(method, path)]) {
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('gets CORS headers, which other clients do not get', async () => {
    const { headers } = await scene.bot.get('/users/@me');
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe.skipIf(noBrowser)(needing(noBrowser, 'a page in a browser'), () => {
  it('posts by a webhook, reads limits and refusals, and reaches no route that accepts cookies', async ({
    browser,
  }) => {
    const site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>Hi'));
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      const asPage = (path: string, init: RequestInit) =>
        page.evaluate(
          async ([url, options]) => {
            try {
              const answer = await fetch(url, options);
              const remaining = answer.headers.get('x-ratelimit-remaining');
              return [answer.status, remaining !== null, (await answer.json()).content ?? null];
            } catch {
              return 'blocked';
            }
          },
          [server.origin + path, init] as const,
        );
      const json = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"content":"from a page"}',
      };
      const address = `/api/webhooks/${webhook.id}/${webhook.token}`;
      expect(await asPage(address, json)).toEqual([200, true, 'from a page']);
      const authorization = `Bot ${scene.bot.bot.token}`;
      expect(await asPage('/api/v10/users/@me', { headers: { authorization } })).toEqual([200, true, null]);
      expect(await asPage(`${address}/messages/1`, {})).toEqual([404, true, null]);
      expect(await asPage('/graphql', { ...json, body: '{"query":"{ me { id } }"}' })).toBe('blocked');
      expect(await asPage('/auth/get-session', { credentials: 'include' })).toBe('blocked');
    } finally {
      await context.close();
      site.close().closeAllConnections();
    }
  });
});
