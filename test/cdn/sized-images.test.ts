import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedContent } from '../../src/cdn/send.js';
import { SizedImages } from '../../src/cdn/sized-images.js';
import { ManualClock } from '../harness/clock.js';
import { movingGif } from '../harness/images.js';
import { formOf, openScene, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';

const clock = new ManualClock();
let server: TestServer;
let scene: Scene;

beforeAll(async () => {
  server = await startServer({ clock });
  scene = await openScene(server);
});
afterAll(() => server.stop());

const drawing = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#f008' } });

/** An image that does not compress. */
const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });

async function upload(filename: string, content: Buffer | string, type = '') {
  const form = formOf({}, { name: 'files[0]', content: Buffer.from(content), filename, type });
  const { body } = await scene.bot.ask('POST', scene.messages, { form });
  return { messageId: body.id as string, url: body.attachments[0].url as string };
}

const uploadPng = async (width = 60, height = 40) => upload('cat.png', await drawing(width, height).png().toBuffer());

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

async function factsOf(response: Response) {
  const { format, width, height, pages = 1 } = await sharp(await bytesOf(response)).metadata();
  return [response.status, response.headers.get('content-type'), format, width, height, pages];
}

/** Blocks reads of files until `open`, and counts them until `end`. */
function holdReads({ app: { blobs } }: Pick<TestServer, 'app'>) {
  const { read } = blobs;
  let reads = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  blobs.read = (key, range) => {
    reads += 1;
    return Readable.from(
      (async function* () {
        await opened;
        yield* read.call(blobs, key, range);
      })(),
    );
  };
  const end = () => {
    open();
    blobs.read = read;
  };
  return { open, end, count: () => reads };
}

describe('an attached image', () => {
  test.each([
    ['width=30', 'png', 30, 20],
    ['height=10', 'png', 15, 10],
    ['width=30&height=10', 'png', 15, 10],
    ['width=15&height=40', 'png', 15, 10],
    ['width=1', 'png', 1, 1],
    ['width=4096&height=4096', 'png', 60, 40],
    ['format=webp', 'webp', 60, 40],
    ['format=webp&width=4096', 'webp', 60, 40],
    ['format=jpeg&width=30', 'jpeg', 30, 20],
    ['format=webp&quality=lossless&width=30', 'webp', 30, 20],
    ['format=jpeg&quality=1', 'jpeg', 60, 40],
    ['quality=50', 'png', 60, 40],
    ['width=30&height=30&format=webp&quality=50', 'webp', 30, 20],
    ['something=else&width[]=5', 'png', 60, 40],
  ])('of 60 by 40 pixels is converted for %s', async (query, format, width, height) => {
    const { url } = await uploadPng();
    expect(await factsOf(await fetch(`${url}&${query}`))).toEqual([200, `image/${format}`, format, width, height, 1]);
  });

  test('fits within both sides, keeps its proportions, and is never enlarged', async () => {
    const { url } = await uploadPng();
    const side = fc.option(fc.integer({ min: 1, max: 80 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(side, side, async (maxWidth, maxHeight) => {
        const query = `${maxWidth ? `&width=${maxWidth}` : ''}${maxHeight ? `&height=${maxHeight}` : ''}`;
        const { width, height } = await sharp(await bytesOf(await fetch(url + query))).metadata();
        expect(width).toBeLessThanOrEqual(Math.min(60, maxWidth ?? 60));
        expect(height).toBeLessThanOrEqual(Math.min(40, maxHeight ?? 40));
        const scale = Math.min(1, (maxWidth ?? 60) / 60, (maxHeight ?? 40) / 40);
        expect(Math.abs(width - 60 * scale)).toBeLessThanOrEqual(1);
        expect(Math.abs(height - 40 * scale)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 25 },
    );
  });

  test('is the original, byte for byte, if nothing would change', async () => {
    const { url } = await uploadPng();
    const original = await fetch(url);
    const tag = original.headers.get('etag');
    const bytes = await bytesOf(original);
    for (const query of ['width=60', 'width=61&height=4096', 'format=png', 'quality=lossless']) {
      const response = await fetch(`${url}&${query}`);
      expect(response.headers.get('etag'), query).toBe(tag);
      expect((await bytesOf(response)).equals(bytes), query).toBe(true);
    }
  });

  test('is rotated upright, without its location', async () => {
    const photo = drawing(40, 20)
      .jpeg()
      .withExif({ IFD3: { GPSLatitude: '1/1 2/1 3/1' } })
      .withMetadata({ orientation: 6 });
    const { url } = await upload('photo.jpg', await photo.toBuffer());
    const { width, height, exif, orientation } = await sharp(await bytesOf(await fetch(`${url}&width=10`))).metadata();
    expect({ width, height, exif, orientation }).toEqual({ width: 10, height: 20, exif: undefined });
  });

  test.each([
    ['width=8', 'gif', 8, 2],
    ['width=8&format=webp', 'webp', 8, 2],
    ['format=webp', 'webp', 16, 2],
    ['width=8&format=png', 'png', 8, 1],
    ['format=jpeg', 'jpeg', 16, 1],
  ])('that is animated stays animated as GIF and WebP: %s', async (query, format, side, frames) => {
    const { url } = await upload('moving.gif', await movingGif());
    expect(await factsOf(await fetch(`${url}&${query}`))).toEqual([200, `image/${format}`, format, side, side, frames]);
  });

  test('has fewer bytes at a lower quality, and no loss if lossless', async () => {
    const pixels = await noise(20, 20).png().toBuffer();
    const { url } = await upload('noise.png', pixels);
    const low = await bytesOf(await fetch(`${url}&format=webp&quality=1`));
    const high = await bytesOf(await fetch(`${url}&format=webp&quality=100`));
    expect(low.length).toBeLessThan(high.length);
    const lossless = await bytesOf(await fetch(`${url}&format=webp&quality=lossless`));
    const [before, after] = await Promise.all([pixels, lossless].map((image) => sharp(image).raw().toBuffer()));
    expect(after).toEqual(before);
  });

  test.each([
    ...['width=0', 'width=4097', 'width=-1', 'width=1.5', 'width=', 'width=x', 'width=%2b5', 'width=05', 'width=1e2'],
    ...['height=0', 'height=99999999999999999999', 'width=1&width=2', 'format=svg', 'format=PNG'],
    ...['format=', 'format=gif', 'format=png&format=png', 'quality=0', 'quality=101', 'quality=lossy', 'quality='],
  ])('is refused with 400 and a helpful message for %s', async (query) => {
    const { url } = await uploadPng();
    const response = await fetch(`${url}&${query}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toMatch(/width and height \(1 to 4096\).*png, jpeg or webp/);
  });

  test('has the extension of its format in its name', async () => {
    const { url } = await uploadPng();
    const nameFor = async (query: string) => (await fetch(url + query)).headers.get('content-disposition');
    expect(await nameFor('&width=5')).toBe(`inline; filename="cat.png"; filename*=UTF-8''cat.png`);
    expect(await nameFor('&width=5&format=jpeg')).toBe(`inline; filename="cat.jpeg"; filename*=UTF-8''cat.jpeg`);
  });
});

describe('an attachment that is not resized', () => {
  test.each([
    ['notes.txt', 'text/plain', '0123456789'],
    ['image.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['page.html', 'text/html', '<script>'],
  ])('%s is served unchanged, whatever the query', async (filename, type, content) => {
    const { url } = await upload(filename, content, type);
    for (const query of ['width=5', 'width=x', 'format=webp&quality=0']) {
      const response = await fetch(`${url}&${query}`);
      expect([response.status, await response.text()]).toEqual([200, content]);
    }
  });

  test.each(['image/png', 'image/webp'])('is served unchanged if other content was uploaded as %s', async (type) => {
    const page = '<!doctype html><script>alert(1)</script>';
    const { url } = await upload('cat.png', page, type);
    const response = await fetch(`${url}&width=5&format=png`);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, type, page]);
  });

  test('is a download of the original size if an image was uploaded as a page', async () => {
    const image = await drawing(20, 20).png().toBuffer();
    const { url } = await upload('page.html', image, 'text/html');
    const response = await fetch(`${url}&width=5`);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect((await bytesOf(response)).equals(image)).toBe(true);
  });

  test('is served unchanged if it has too many pixels', async () => {
    const { url } = await upload('long.png', await drawing(8_193, 1).png().toBuffer());
    expect(await factsOf(await fetch(`${url}&width=5`))).toEqual([200, 'image/png', 'png', 8_193, 1, 1]);
  });

  test('is served unchanged if the result would exceed 8 MiB', { tags: ['slow'] }, async () => {
    const { url } = await upload('noise.jpg', await noise(1_800, 1_700).jpeg().toBuffer());
    expect((await fetch(`${url}&format=png`)).headers.get('content-type')).toBe('image/jpeg');
  });
});

describe('the response with a resized image', () => {
  test('has the caching of the file, and its own entity tag', async () => {
    const { url } = await uploadPng();
    const answers = await Promise.all(['', '&width=5', '&width=6', '&width=5&format=webp'].map((q) => fetch(url + q)));
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(4);
    const caching = answers.map(({ headers }) => headers.get('cache-control'));
    expect(new Set(caching).size).toBe(1);
    expect(caching[0]).toMatch(/^private, max-age=\d+, immutable$/);
    for (const { headers } of answers) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    }
  });

  test('supports HEAD, 304, 206, 412 and 416', async () => {
    const { url } = await upload('noise.png', await noise(300, 300).png().toBuffer());
    const sized = `${url}&width=290`;
    const whole = await bytesOf(await fetch(sized));
    expect(whole.length).toBeGreaterThan(100_000);
    const head = await fetch(sized, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, `${whole.length}`, '']);
    const tag = head.headers.get('etag') ?? '';
    const ask = (headers: Record<string, string>) => fetch(sized, { headers });
    expect((await ask({ 'if-none-match': tag })).status).toBe(304);
    expect((await fetch(url, { headers: { 'if-none-match': tag } })).status).toBe(200);
    expect((await ask({ 'if-match': '"other"' })).status).toBe(412);
    const range = { range: 'bytes=70000-140001' };
    const part = await ask({ ...range, 'if-range': tag });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 70000-140001/${whole.length}`]);
    expect((await bytesOf(part)).equals(whole.subarray(70_000, 140_002))).toBe(true);
    expect((await ask({ ...range, 'if-range': '"other"' })).status).toBe(200);
    expect((await ask({ range: `bytes=${whole.length}-` })).status).toBe(416);
  });

  test('is 404 at once after the message is deleted, even if it was created before', async () => {
    const { url, messageId } = await uploadPng();
    const sized = `${url}&width=5`;
    expect((await fetch(sized)).status).toBe(200);
    await scene.bot.delete(`${scene.messages}/${messageId}`);
    expect((await fetch(sized)).status).toBe(404);
    expect((await fetch(sized, { method: 'HEAD' })).status).toBe(404);
  });

  test.each(['', '&width=5'])('is 404 if the message is deleted in the meantime ("%s")', async (query) => {
    const { url, messageId } = await uploadPng();
    const { blobs } = server.app;
    const { size } = blobs;
    blobs.size = async (key) => {
      blobs.size = size;
      const found = await size.call(blobs, key);
      await scene.bot.delete(`${scene.messages}/${messageId}`);
      return found;
    };
    const response = await fetch(url + query);
    expect([response.status, await response.text()]).toEqual([404, 'This file was deleted.\n']);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('is 404 after the address expires, even if it was created before', async () => {
    const { url } = await uploadPng();
    const sized = `${url}&width=5`;
    expect((await fetch(sized)).status).toBe(200);
    const expires = Number.parseInt(new URL(url).searchParams.get('ex') ?? '', 16) * 1000;
    clock.advance(expires - clock.now() - 1_000);
    expect((await fetch(sized)).headers.get('cache-control')).toBe('private, max-age=1, immutable');
    clock.advance(1_000);
    for (const method of ['GET', 'HEAD']) {
      for (const address of [url, sized]) expect((await fetch(address, { method })).status).toBe(404);
    }
  });
});

describe('the budget for resizing', { tags: ['slow'] }, () => {
  test('creates an image once for all requests at the same time, and later ones', async () => {
    const { url } = await uploadPng();
    const held = holdReads(server);
    try {
      const answers = Promise.all(Array.from({ length: 40 }, () => fetch(`${url}&width=7`)));
      held.open();
      const tags = (await answers).map(({ status, headers }) => `${status} ${headers.get('etag')}`);
      expect(new Set(tags).size).toBe(1);
      expect((await fetch(`${url}&width=7`)).status).toBe(200);
      expect(held.count()).toBe(1);
    } finally {
      held.end();
    }
  });

  test('allows eight forms of a file, and answers a further one with 503 for a moment', async () => {
    const [{ url }, another] = [await uploadPng(), await uploadPng()];
    const held = holdReads(server);
    try {
      const asked = Array.from({ length: 9 }, (_, n) => fetch(`${url}&width=${n + 1}`));
      const refused = await Promise.race(asked);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      expect([refused.headers.get('content-type'), refused.headers.get('cache-control')]).toEqual([
        'text/plain; charset=utf-8',
        'no-store',
      ]);
      expect(await refused.text()).toMatch(/^Too many images .* try again/);
      expect(held.count()).toBe(1);
      const other = fetch(`${another.url}&width=1`);
      held.open();
      const answers = await Promise.all(asked);
      expect(answers.filter(({ status }) => status === 200).length).toBe(8);
      expect((await other).status).toBe(200);
      expect((await fetch(refused.url)).status).toBe(200);
    } finally {
      held.end();
    }
  });

  test('reads a file again for the next request after a failure', async () => {
    const image = await drawing(20, 20).png().toBuffer();
    const file = storedContent(server.app.blobs, { key: 'x', size: image.length, type: 'image/png', tag: '"x"' });
    const sized = new SizedImages(server.app.images);
    const failing = () =>
      Readable.from(
        (async function* () {
          yield image.subarray(0, 9);
          throw new Error('the disk');
        })(),
      );
    await expect(sized.inForm('client', { ...file, read: failing }, { width: 5 })).rejects.toThrow('the disk');
    const { tag } = await sized.inForm('client', { ...file, read: () => Readable.from([image]) }, { width: 5 });
    expect(tag).not.toBe('"x"');
  });

  test('limits the memory of results, even for slow readers', async () => {
    const image = await noise(1_620, 1_620).png({ compressionLevel: 0 }).toBuffer();
    const file = storedContent(server.app.blobs, { key: 'x', size: image.length, type: 'image/png', tag: '"x"' });
    const sized = new SizedImages(server.app.images);
    const inWidth = (width: number) =>
      sized.inForm('client', { ...file, read: () => Readable.from([image]) }, { width });
    const first = await inWidth(1_619);
    expect(first.size).toBeGreaterThan(7 * 1024 * 1024);
    const slow = [1, 2, 3, 4, 5].map(() => first.read()[Symbol.asyncIterator]());
    for (const reader of slow) await reader.next();
    for (const width of [1_618, 1_617, 1_616, 1_615]) await inWidth(width);
    const rest = async (reader: AsyncIterator<Buffer>) => {
      let size = 64 * 1024;
      for (let piece = await reader.next(); !piece.done; piece = await reader.next()) size += piece.value.length;
      return size;
    };
    const [unheld] = slow.splice(4);
    await expect(unheld && rest(unheld)).rejects.toThrow('evicted');
    expect(await Promise.all(slow.map(rest))).toEqual(slow.map(() => first.size));
  });

  test('sends what it converted, even if other images fill the cache in the meantime', { tags: ['slow'] }, async () => {
    const image = await noise(1_620, 1_620).png({ compressionLevel: 0 }).toBuffer();
    const file = storedContent(server.app.blobs, { key: 'x', size: image.length, type: 'image/png', tag: '"x"' });
    const sized = new SizedImages(server.app.images);
    const inWidth = async (width: number) => {
      const content = await sized.inForm(`client ${width}`, { ...file, read: () => Readable.from([image]) }, { width });
      return (await content.read()[Symbol.asyncIterator]().next()).value?.length;
    };
    const pieces = await Promise.all([1_619, 1_618, 1_617, 1_616, 1_615, 1_614].map(inWidth));
    expect(pieces).toEqual(Array(6).fill(64 * 1024));
  });
});
