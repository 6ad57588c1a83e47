import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { imageSize } from 'image-size';
import { describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
it.beforeAll(({ server: shared }) => {
  server = shared;
});

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.origin}${path}`, { headers, redirect: 'manual' });

/** Sends a request without decoding its response. */
async function askPlainly(path: string, accepted: string) {
  const request = get(`${server.origin}${path}`, { headers: { 'accept-encoding': accepted } });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return { headers: answer.headers, body: await buffer(answer) };
}

function filesOf(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="(\/portal\/[^"]+)"/g)].map(([, path = '']) => path);
}

describe('a path that leads into the portal', () => {
  it.each([
    ['/', '/portal'],
    ['/invite/AbCd1234', '/portal/invite/AbCd1234'],
  ])('redirects %s to %s', async (path, location) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, location]);
  });

  it.each(['/invite/secret', '/invite/a%2F..%2Fb', '/invite/%22%0D%0Ax12'])(
    'does not redirect %s, which cannot be an invite',
    async (path) => {
      const answer = await ask(path);
      expect([answer.status, answer.headers.get('location')]).toEqual([404, null]);
    },
  );
});

describe('the HTML page of the portal', () => {
  it.each([
    ['/portal', 200],
    ['/portal/', 200],
    ['/portal/applications', 200],
    ['/portal/applications/1/general', 200],
    ['/portal/applications/1/nonsense', 404],
    ['/portal/applications/abc/general', 404],
    ['/portal/applications/commands/general', 404],
    ['/portal/servers/1/roles/new', 200],
    ['/portal/invite/AbCd1234', 200],
    ['/portal/nonsense', 404],
    ['/portal/assets/gone-AbCdEf12.js', 404],
  ])('is returned for %s with status %i', async (path, status) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(await answer.text()).toContain('<div id="root">');
  });

  it('P-1: allows only scripts and styles of this origin, and has none inline', async () => {
    const answer = await ask('/portal');
    const policy = Object.fromEntries(
      (answer.headers.get('content-security-policy') ?? '').split('; ').map((rule) => rule.split(/ (.*)/)),
    );
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': `'self' blob: ${server.origin}`,
      'connect-src': `'self' ${server.origin.replace(/^http/, 'ws')}`,
      'form-action': "'self'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    });
    const page = await answer.text();
    expect(page).not.toMatch(/<style|<script(?! [^>]*src=)|\sstyle=|\son\w+=/);
  });
});

describe('the files of the portal', () => {
  it('never change under hashed names, and are validated again under other names', async () => {
    const files = filesOf(await (await ask('/portal')).text());
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) {
      const answer = await ask(path);
      const isHashed = path.startsWith('/portal/assets/');
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([
        path,
        200,
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      ]);
      expect(answer.headers.get('content-type')).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
    }
  });

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['identity', undefined, (body: Buffer) => body],
    ['br;q=0', undefined, (body: Buffer) => body],
  ])('are encoded as the client accepts them: %j', async (accepted, encoding, decode) => {
    const answer = await askPlainly('/portal', accepted);
    expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([encoding, 'accept-encoding']);
    expect(decode(answer.body).toString()).toContain('<div id="root">');
  });

  it('are not sent again to a client that has them', async () => {
    const etag = (await ask('/portal')).headers.get('etag') ?? '';
    const again = await ask('/portal', { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await ask('/portal', { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ask('/portal/nonsense', { 'if-none-match': etag })).status).toBe(404);
  });
});

it('browsers get an icon', async () => {
  const icon = await ask('/favicon.ico');
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(imageSize(Buffer.from(await icon.arrayBuffer()))).toMatchObject({ width: 32, height: 32, type: 'png' });
});
