import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { type Person, signUp } from '../harness/people.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let scene: Scene;
let ada: Person;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
  ada = await signUp(server, 'ada');
});

const html = { accept: 'text/html' };

describe('every response forbids content sniffing and framing', () => {
  it.each<[method: string, path: string, headers: Record<string, string>, status: number]>([
    ['GET', '/', {}, 302],
    ['GET', '/portal', {}, 200],
    ['GET', '/portal/x', {}, 404],
    ['GET', '/portal/theme.js', {}, 200],
    ['GET', '/invite/AbCd1234', {}, 302],
    ['GET', '/reference', {}, 200],
    ['PUT', '/reference', {}, 405],
    ['GET', '/graphql', html, 200],
    ['GET', '/graphql?query={__typename}', { accept: 'application/json' }, 200],
    ['GET', '/graphql', { authorization: 'Basic x' }, 401],
    ['POST', '/graphql', { 'content-type': 'text/csv' }, 415],
    ['PUT', '/graphql', {}, 405],
    ['GET', '/healthz', {}, 200],
    ['GET', '/metrics', {}, 200],
    ['GET', '/api/v10/gateway', {}, 200],
    ['GET', '/api/v10/users/@me', {}, 401],
    ['PUT', '/api/v10/users/@me', {}, 405],
    ['GET', '/api/v9/users/@me', {}, 401],
    ['GET', '/api/v8/users/@me', {}, 400],
    ['GET', '/nowhere', {}, 404],
    ['PROPFIND', '/nowhere', {}, 404],
    ['GET', '/auth/get-session', {}, 200],
    ['GET', '/auth/nothing', {}, 404],
    ['POST', '/auth/sign-in/email', { 'content-type': 'text/plain' }, 415],
    ['GET', '/oauth2/authorize', {}, 400],
    ['GET', '/oauth2/sign-in', {}, 200],
    ['POST', '/oauth2/token', {}, 400],
    ['GET', '/.well-known/oauth-authorization-server', {}, 200],
    ['GET', '/cdn/attachments/1/1/a.png', {}, 404],
    ['GET', '/%', {}, 400],
  ])('%s %s', async (method, path, headers, status) => {
    const answer = await fetch(`${server.origin}${path}`, { method, headers, redirect: 'manual' });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(answer.headers.get('referrer-policy')).toMatch(/same-origin$|^no-referrer$/);
    const isPage = answer.headers.get('content-type')?.startsWith('text/html');
    if (isPage) expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    await answer.body?.cancel();
  });

  it('an event stream', async () => {
    const query = `subscription { channelEvents(channelId: "${scene.channelId}") { __typename } }`;
    const stream = await fetch(`${server.origin}/graphql?${new URLSearchParams({ query })}`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${ada.token}` },
    });
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('x-content-type-options')).toBe('nosniff');
    await stream.body?.cancel();
  });

  it('a file, which keeps its own policy', async () => {
    const form = new FormData();
    form.append('files[0]', new Blob(['<b>hello</b>']), 'page.html');
    const { body } = await scene.bot.ask('POST', scene.messages, { form });
    const file = await fetch(body.attachments[0].url);
    expect(file.status).toBe(200);
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    expect(file.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(file.headers.get('x-frame-options')).toBe('DENY');
    await file.body?.cancel();
  });
});

describe.skipIf(noBrowser)(needing(noBrowser, 'in a browser'), () => {
  it('GraphiQL works, and a page of another site cannot frame it', { tags: ['slow'] }, async () => {
    const browser = await openBrowser();
    const pages = ['/graphql', '/invite/AbCd1234', '/'];
    const foreign = createServer((_request, response) => {
      const frames = pages.map((path) => `<iframe src="${server.origin}${path}"></iframe>`);
      response.setHeader('content-type', 'text/html').end(`<!doctype html>${frames.join('')}`);
    }).listen(0, '127.0.0.1');
    try {
      const page = await (await browser.newContext()).newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      const query = encodeURIComponent('{ answer: __typename }');
      await page.goto(`${server.origin}/graphql?query=${query}`);
      await page.locator('.graphiql-execute-button').click();
      await expect.poll(() => page.locator('.result-window').innerText(), { timeout: 20_000 }).toContain('"Query"');
      expect(errors).toEqual([]);

      const refused: string[] = [];
      page.on('console', (message) => refused.push(message.text()));
      await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
      await expect.poll(() => refused.filter((text) => /frame/i.test(text)).length).toBe(pages.length);
    } finally {
      await browser.close();
      foreign.close();
    }
  });
});
