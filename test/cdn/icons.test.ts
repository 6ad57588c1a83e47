import { Readable } from 'node:stream';
import { ALLOWED_SIZES, CDN } from '@discordjs/rest';
import sharp from 'sharp';
import { describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { createApplication, signUp } from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { uploadIcon } from '../harness/settings.js';

let server: TestServer;
let address: string;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  const owner = await signUp(server, 'owner');
  const { id } = await createApplication(owner);
  const content = await drawing(64, 64).toBuffer();
  const { data } = await uploadIcon(server, owner, id, Uint8Array.from(content));
  address = data.updateApplication.application.iconUrl.replace(/\.png$/, '');
});

const drawing = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#f008' } }).png();

async function metadataOf(response: Response) {
  return sharp(Buffer.from(await response.arrayBuffer())).metadata();
}

const formatOf = async (response: Response) => (await metadataOf(response)).format;

describe('an icon', () => {
  it.each([
    ['png', 'image/png', 'png'],
    ['webp', 'image/webp', 'webp'],
    ['jpg', 'image/jpeg', 'jpeg'],
    ['jpeg', 'image/jpeg', 'jpeg'],
  ])('is served as %s', async (extension, type, format) => {
    const response = await fetch(`${address}.${extension}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(await formatOf(response)).toBe(format);
  });

  it.each([
    [16, 16],
    [32, 32],
    [64, 64],
    [128, 64],
    [512, 64],
    [4096, 64],
  ])('of 64 pixels, requested with %i, has a side of %i', async (size, side) => {
    for (const extension of ['png', 'webp', 'jpg']) {
      const { width, height } = await metadataOf(await fetch(`${address}.${extension}?size=${size}`));
      expect({ width, height }, extension).toEqual({ width: side, height: side });
    }
  });

  it('that is not larger than requested is served unchanged, with the same entity tag', async () => {
    const kept = await fetch(`${address}.png`);
    const bytes = Buffer.from(await kept.arrayBuffer());
    for (const size of [64, 1024]) {
      const response = await fetch(`${address}.png?size=${size}`);
      expect(response.headers.get('etag')).toBe(kept.headers.get('etag'));
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
  });

  it('is available at the addresses and sizes of a stock library', async () => {
    const cdn = new CDN(`${server.origin}/cdn`);
    const [, id = '', hash = ''] = /app-icons\/(\d+)\/(\w+)$/.exec(address) ?? [];
    for (const size of ALLOWED_SIZES) {
      for (const extension of ['png', 'jpg', 'jpeg', 'webp'] as const) {
        for (const url of [cdn.appIcon(id, hash, { size, extension }), cdn.avatar(id, hash, { size, extension })]) {
          expect((await fetch(url)).status, url).toBe(200);
        }
      }
    }
    expect((await fetch(cdn.defaultAvatar(0))).status).toBe(200);
  });

  it.each(['', '0', '8', '15', '17', '63', '4095', '8192', '-16', '16.0', '016', '1e2', 'x', '16&size=32'])(
    'is refused with the size "%s"',
    async (size) => {
      const response = await fetch(`${address}.png?size=${size}`);
      expect([response.status, await response.text()]).toEqual([
        400,
        'The size must be a power of two from 16 to 4096 and appear only once.\n',
      ]);
    },
  );

  it.each([
    ['app-icons', 'app-icons'],
    ['avatars', 'avatars'],
    ['avatars', 'app-icons'],
    ['team-icons', 'team-icons'],
    ['icons', 'guild-icons'],
  ])('at /cdn/%s (stored in %s) is resized, supports ranges, and is gone after its removal', async (name, folder) => {
    const { blobs } = server.app;
    const key = `${folder}/7/${'ab'.repeat(16)}.png`;
    const blob = await blobs.stage(Readable.from([await drawing(100, 50).toBuffer()]));
    await blob.keep(key);
    const sized = `${server.origin}/cdn/${name}/7/${'ab'.repeat(16)}.png?size=32`;
    const { width, height } = await metadataOf(await fetch(sized));
    expect({ width, height }).toEqual({ width: 32, height: 16 });
    expect((await fetch(sized)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await fetch(sized, { headers: { range: 'bytes=1-3' } })).status).toBe(206);
    await blobs.remove(key);
    expect((await fetch(sized)).status).toBe(404);
  });

  it('is immutable at its address and cannot execute code', async () => {
    const { headers } = await fetch(`${address}.png`, { method: 'HEAD' });
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    const tag = headers.get('etag') ?? '';
    expect((await fetch(`${address}.png`, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await fetch(`${address}.webp`, { headers: { 'if-none-match': tag } })).status).toBe(200);
  });

  it.each(['.gif', '.svg', '', '.png/..', '.PNG', '.png%00'])('does not exist as "%s"', async (ending) => {
    expect((await fetch(address + ending)).status).toBe(404);
  });

  it.each([
    '/cdn/app-icons/1/00000000000000000000000000000000.png',
    '/cdn/app-icons/x/00000000000000000000000000000000.png',
    '/cdn/app-icons/..%2F..%2Fcauseway.db/x.png',
    '/cdn/app-icons/1/..%2F..%2F..%2Fcauseway.png',
    '/cdn/avatars/1/00000000000000000000000000000000.png',
  ])('is not found at %s', async (path) => {
    expect((await fetch(server.origin + path)).status).toBe(404);
  });
});

describe('a default avatar', () => {
  it.each([0, 1, 2, 3, 4, 5])('exists with the number %i', async (index) => {
    const response = await fetch(`${server.origin}/cdn/embed/avatars/${index}.png`);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(await formatOf(response)).toBe('png');
  });

  it("has one size, whatever the requested size (Discord's documentation, Image Formatting)", async () => {
    for (const query of ['', '?size=16', '?size=4096', '?size=x']) {
      const { width, height } = await metadataOf(await fetch(`${server.origin}/cdn/embed/avatars/0.png${query}`));
      expect({ width, height }).toEqual({ width: 256, height: 256 });
    }
  });

  it('supports conditional and range requests', async () => {
    const url = `${server.origin}/cdn/embed/avatars/0.png`;
    const whole = await fetch(url);
    const tag = whole.headers.get('etag') ?? '';
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect((await fetch(url, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect(
      (await fetch(`${server.origin}/cdn/embed/avatars/1.png`, { headers: { 'if-none-match': tag } })).status,
    ).toBe(200);
    const part = await fetch(url, { headers: { range: 'bytes=8-15' } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(8, 16))]).toEqual([206, true]);
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
  });

  it.each(['6.png', '-1.png', '0.gif', 'x.png', '00.png'])('does not exist as %s', async (file) => {
    expect((await fetch(`${server.origin}/cdn/embed/avatars/${file}`)).status).toBe(404);
  });
});
