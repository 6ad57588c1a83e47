import { describe, expect, vi } from 'vitest';
import { namesIn } from '../harness/blobs.js';
import { test } from '../harness/fixtures.js';
import { PIXEL } from '../harness/images.js';
import { formOf, openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

const CONTENT = '0123456789';

async function upload(filename: string, content: BlobPart = CONTENT, type = '') {
  const form = formOf({}, { name: 'files[0]', content, filename, type });
  const { body } = await scene.bot.ask('POST', scene.messages, { form });
  return { messageId: body.id as string, url: body.attachments[0].url as string };
}

const otherDigit = (hex: string) => hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0');

const withHeaders = (url: string, headers: Record<string, string>, method = 'GET') => fetch(url, { headers, method });

describe('a file is served with 200', () => {
  test('as it was uploaded', async () => {
    const content = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 256));
    const { url } = await upload('bytes.bin', content);
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': '70000',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  test('with caching by the client until its address expires, but not by proxies in between', async () => {
    const { url } = await upload('a.txt');
    const before = Date.now();
    const { headers } = await fetch(url);
    const [, seconds] = /^private, max-age=(\d+), immutable$/.exec(headers.get('cache-control') ?? '') ?? [];
    const expires = Number.parseInt(new URL(url).searchParams.get('ex') ?? '', 16) * 1000;
    expect(before + Number(seconds) * 1000).toBeLessThanOrEqual(expires);
    expect(Date.now() + (Number(seconds) + 1) * 1000).toBeGreaterThanOrEqual(expires);
  });

  test('with headers only for HEAD, which ignores ranges', async () => {
    const { url } = await upload('a.bin');
    const response = await withHeaders(url, { range: 'bytes=0-1' }, 'HEAD');
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '10', '']);
  });

  test.each([
    ['page.html', 'text/html', 'application/octet-stream', 'attachment'],
    ['page.html', '', 'application/octet-stream', 'attachment'],
    ['page.xhtml', 'application/xhtml+xml', 'application/octet-stream', 'attachment'],
    ['image.svg', 'image/svg+xml', 'application/octet-stream', 'attachment'],
    ['script.js', 'text/javascript', 'application/octet-stream', 'attachment'],
    ['data.xml', 'text/xml', 'application/octet-stream', 'attachment'],
    ['doc.pdf', 'application/pdf', 'application/octet-stream', 'attachment'],
    ['odd.bin', 'multipart/x; y=z', 'application/octet-stream', 'attachment'],
    ['page.html', 'text/plain', 'application/octet-stream', 'attachment'],
    ['notes.txt', 'text/plain', 'text/plain; charset=utf-8', 'inline'],
    ['cat.png', 'image/png', 'image/png', 'inline'],
    ['cat.png', '', 'image/png', 'inline'],
    ['clip.mp4', 'video/mp4', 'video/mp4', 'inline'],
  ])('%s uploaded as "%s" has the type %s and is %s', async (filename, type, served, disposition) => {
    const response = await fetch((await upload(filename, CONTENT, type)).url);
    expect(response.headers.get('content-type')).toBe(served);
    expect(response.headers.get('content-disposition')).toBe(
      `${disposition}; filename="${filename}"; filename*=UTF-8''${filename}`,
    );
  });

  test.each([
    ['an image that says it is a page', PIXEL, 'page.html', 'text/html', 'application/octet-stream', 'attachment'],
    ['an image that says it is a drawing', PIXEL, 'a.svg', 'image/svg+xml', 'application/octet-stream', 'attachment'],
    ['a page that says it is an image', '<!doctype html><script>', 'cat.png', 'image/png', 'image/png', 'inline'],
    ['a page behind the head of an image', 'GIF89a<script>', 'cat.gif', 'image/gif', 'image/gif', 'inline'],
    [
      'a page that says it is text',
      '<!doctype html><script>',
      'a.txt',
      'text/plain',
      'text/plain; charset=utf-8',
      'inline',
    ],
  ])('%s is never executed', async (_what, content, filename, type, served, disposition) => {
    const response = await fetch((await upload(filename, content, type)).url);
    const { headers } = response;
    expect(headers.get('content-type')).toBe(served);
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  test.each([
    ['a"b.png', 'a_b.png'],
    ["a'b(c)*.png", 'a_b_c_.png'],
    ['a\r\nset-cookie: x.png', 'a_set-cookie_x.png'],
    ['gnp.\u202ecat.exe', 'gnp._cat.exe'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['a;filename=b.html', 'a_filename_b.html'],
    ['a%22b%0d%0a.png', 'a_22b_0d_0a.png'],
  ])('with the name %j shown as %s', async (filename, name) => {
    const json = { attachments: [{ id: 0, filename }] };
    const form = formOf(json, { name: 'files[0]', content: CONTENT, filename: 'x' });
    const { status, body } = await scene.bot.ask('POST', scene.messages, { form });
    expect(status).toBe(200);
    const { headers } = await fetch(body.attachments[0].url);
    const [, plain, full] =
      /^\w+; filename="([\w.-]+)"; filename\*=UTF-8''(\S+)$/.exec(headers.get('content-disposition') ?? '') ?? [];
    expect([plain, decodeURIComponent(full ?? '')]).toEqual([
      body.attachments[0].filename,
      body.attachments[0].filename,
    ]);
    expect(plain).toBe(name);
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('with a name outside ASCII (RFC 6266)', async () => {
    const response = await fetch((await upload('猫.png')).url);
    expect(response.headers.get('content-disposition')).toBe(
      `inline; filename="_.png"; filename*=UTF-8''${encodeURIComponent('猫.png')}`,
    );
  });
});

describe('a part is served with 206', () => {
  test.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=5-99', '56789', 'bytes 5-9/10'],
  ])('for %s', async (range, text, contentRange) => {
    const { url } = await upload('digits.txt');
    const response = await withHeaders(url, { range });
    expect([response.status, await response.text()]).toEqual([206, text]);
    expect(response.headers.get('content-range')).toBe(contentRange);
    expect(response.headers.get('content-length')).toBe(String(text.length));
  });

  test('with If-Range for the same file, and the whole file otherwise', async () => {
    const { url } = await upload('digits.txt');
    const tag = (await fetch(url)).headers.get('etag') ?? '';
    expect((await withHeaders(url, { range: 'bytes=0-1', 'if-range': tag })).status).toBe(206);
    expect((await withHeaders(url, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
  });
});

describe('an unchanged file is answered 304', () => {
  test('with If-None-Match of the same file', async () => {
    const { url } = await upload('a.txt');
    const tag = (await fetch(url)).headers.get('etag') ?? '';
    const response = await withHeaders(url, { 'if-none-match': tag });
    expect([response.status, await response.text()]).toEqual([304, '']);
  });
});

describe('a file is answered 404', () => {
  test('without its signature, with that of another file, or with any changed part', async () => {
    const { url } = await upload('a.txt');
    const other = new URL((await upload('b.txt')).url);
    const { origin, pathname, search, searchParams } = new URL(url);
    const [ex, is, hm] = ['ex', 'is', 'hm'].map((name) => searchParams.get(name) ?? '');
    const later = (Number.parseInt(ex ?? '', 16) + 1).toString(16);
    const wrong = [
      pathname,
      `${pathname}${other.search}`,
      `${pathname}?ex=${later}&is=${is}&hm=${hm}`,
      `${pathname}?ex=${ex}&is=${is}`,
      `${pathname}?ex=${ex}&ex=${ex}&is=${is}&hm=${hm}`,
      `${pathname}?ex=${ex}&is=${is}&hm=${hm}x`,
      ...[ex, is, hm].map((value = '') => pathname + search.replace(value, otherDigit(value))),
      `${pathname}${search}&hm=${hm}`,
      `${pathname}${search}&ex=${later}`,
      `${pathname}?ex[]=${ex}&is[]=${is}&hm[]=${hm}`,
      `${pathname}?ex=${ex}&is=${is}&hm=${hm?.toUpperCase()}`,
      `${pathname}?ex=&is=&hm=`,
      `${pathname.replace('a.txt', 'b.txt')}${search}`,
      `${pathname.replace(scene.channelId, '1')}${search}`,
      `${pathname.replace('/attachments/', '/attachments/0')}${search}`,
      `${pathname.replace('a.txt', 'a.txt%00')}${search}`,
      `${pathname.replace('a.txt', '..%2f..%2fcauseway.db')}${search}`,
      `${pathname.replace('a.txt', 'x%2f..%2fa.txt')}${search}`,
      `${pathname.replace('/attachments/', '/ephemeral-attachments/')}${search}`,
      `${pathname.replace(scene.channelId, 'x')}${search}`,
      `/cdn/attachments/1/2/${'x'.repeat(3000)}`,
      '/cdn/attachments/../../causeway.db',
      '/cdn/',
      '/cdn/nothing',
    ];
    for (const path of wrong) {
      const response = await fetch(origin + path);
      expect(response.status, path).toBe(404);
      expect(await response.text()).not.toContain(CONTENT);
      expect((await fetch(origin + path, { method: 'HEAD' })).status, path).toBe(404);
    }
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(`${url}&`)).status).toBe(200);
  });

  test('or served, but never 500, with a leading zero in an id', async () => {
    const { url } = await upload('a.txt');
    expect([200, 404]).toContain((await fetch(url.replace(scene.channelId, `0${scene.channelId}`))).status);
  });

  test('after its message is deleted, which also removes it from the store', async () => {
    const { url, messageId } = await upload('a.txt');
    expect((await fetch(url)).status).toBe(200);
    await scene.bot.delete(`${scene.messages}/${messageId}`);
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(await namesIn(server.app.blobs, `attachments/${scene.channelId}`)).not.toContain(messageId);
  });
});

describe('a file is answered 405', () => {
  const BODIES = [['{', 'application/json'], ['x', 'some/thing'], [null]] as const;

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])(
    'for %s, whatever its body, in the format of REST errors',
    async (method) => {
      const { url } = await upload('a.txt');
      for (const address of [url, `${server.origin}/cdn/embed/avatars/0.png`, `${server.origin}/cdn/avatars/1/x.png`]) {
        for (const [body, type] of BODIES) {
          const headers = type === undefined ? undefined : { 'content-type': type };
          const response = await fetch(address, { method, body, headers });
          expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
          expect(await response.json()).toEqual({ message: '405: Method Not Allowed', code: 0 });
        }
      }
    },
  );
});

describe('a file is answered 412', () => {
  test('with If-Match of another file, and served for its own (RFC 9110, section 13.1.1)', async () => {
    const { url } = await upload('a.txt');
    const tag = (await fetch(url)).headers.get('etag') ?? '';
    for (const method of ['GET', 'HEAD']) {
      const statusFor = async (wanted: string) => (await withHeaders(url, { 'if-match': wanted }, method)).status;
      expect(await statusFor('"other"')).toBe(412);
      expect(await statusFor(`W/${tag}`)).toBe(412);
      expect(await statusFor(`"other", ${tag}`)).toBe(200);
      expect(await statusFor('*')).toBe(200);
    }
  });
});

describe('a part is answered 416', () => {
  test.each(['bytes=10-', 'bytes=-0', 'bytes=100-200'])('for %s of ten bytes', async (range) => {
    const { url } = await upload('digits.txt');
    const response = await withHeaders(url, { range });
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  });
});

describe('the metric of sent bytes', () => {
  const sent = async () => {
    const { values } = await server.app.metrics.fileBytes.get();
    return values.find(({ labels }) => labels.direction === 'sent')?.value ?? 0;
  };

  test('counts complete downloads and no aborted ones', async () => {
    const size = 10 * 1_048_576;
    const { url } = await upload('long.bin', Buffer.alloc(size));
    const before = await sent();
    const leaving = new AbortController();
    const left = await fetch(url, { signal: leaving.signal });
    await left.body?.getReader().read();
    leaving.abort();
    await (await fetch(url)).arrayBuffer();
    await vi.waitFor(async () => expect((await sent()) - before).toBe(size));
  });
});
