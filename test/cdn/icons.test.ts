import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { uploadIcon } from '../harness/settings.js';

let server: TestServer;
let address: string;
beforeAll(async () => {
  server = await startServer();
  const owner = await signUp(server, 'owner');
  const { id } = await createApplication(owner);
  const content = await sharp({ create: { width: 64, height: 64, channels: 4, background: '#f008' } })
    .png()
    .toBuffer();
  const { data } = await uploadIcon(server, owner, id, Uint8Array.from(content));
  address = data.updateApplication.application.iconUrl.replace(/\.png$/, '');
});
afterAll(() => server.stop());

async function formatOf(response: Response) {
  return (await sharp(Buffer.from(await response.arrayBuffer())).metadata()).format;
}

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

  it('has one size, whichever is asked for', async () => {
    const plain = Buffer.from(await (await fetch(`${address}.png`)).arrayBuffer());
    const sized = Buffer.from(await (await fetch(`${address}.png?size=16`)).arrayBuffer());
    expect(sized.equals(plain)).toBe(true);
  });

  it('never changes under its address, and runs nothing', async () => {
    const { headers } = await fetch(`${address}.png`, { method: 'HEAD' });
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    const tag = headers.get('etag') ?? '';
    expect((await fetch(`${address}.png`, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await fetch(`${address}.webp`, { headers: { 'if-none-match': tag } })).status).toBe(200);
  });

  it.each(['.gif', '.svg', '', '.png/..', '.PNG', '.png%00'])('is not there as "%s"', async (ending) => {
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

describe('the avatar of somebody who has none', () => {
  it.each([0, 1, 2, 3, 4, 5])('is there as number %i', async (index) => {
    const response = await fetch(`${server.origin}/cdn/embed/avatars/${index}.png`);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(await formatOf(response)).toBe('png');
  });

  it.each(['6.png', '-1.png', '0.gif', 'x.png', '00.png'])('is not there as %s', async (file) => {
    expect((await fetch(`${server.origin}/cdn/embed/avatars/${file}`)).status).toBe(404);
  });
});
