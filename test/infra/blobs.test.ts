import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BlobStore, createFileBlobStore } from '../../src/infra/blobs.js';

let parent: string;
let store: BlobStore;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'causeway-blobs-'));
  await writeFile(join(parent, 'secret'), 'outside');
  store = createFileBlobStore(join(parent, 'blobs'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const files = async () => {
  const entries = await readdir(parent, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
};

describe('a staged blob', () => {
  test('is readable under its key once it is kept', async () => {
    const blob = await store.stage(Readable.from([Buffer.from('hello '), Buffer.from('world')]));
    expect([blob.size, String(blob.head)]).toEqual([11, 'hello world']);
    await blob.keep('a/1/2');
    expect(await store.size('a/1/2')).toBe(11);
    expect(await text(store.read('a/1/2'))).toBe('hello world');
    expect(await text(store.read('a/1/2', { start: 6, end: 8 }))).toBe('wor');
    await blob.discard();
    expect(await store.size('a/1/2')).toBe(11);
  });

  test('is gone when it is discarded, again and again', async () => {
    const blob = await store.stage(Readable.from([Buffer.from('x')]));
    await blob.discard();
    await blob.discard();
    expect(await files()).toEqual(['secret']);
  });

  test('shows its first 64 KiB', async () => {
    const content = Buffer.alloc(200_000, 'ab');
    const blob = await store.stage(Readable.from([content.subarray(0, 50_000), content.subarray(50_000)]));
    expect(blob.head.equals(content.subarray(0, 65_536))).toBe(true);
    await blob.keep('b');
    expect((await buffer(store.read('b'))).equals(content)).toBe(true);
  });

  test('leaves nothing when its source fails', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('the sender went away');
      })(),
    );
    await expect(store.stage(broken)).rejects.toThrow('went away');
    expect(await files()).toEqual(['secret']);
  });

  test('leaves nothing when its source fails at once, however busy the disk', async () => {
    const failing = () => new Readable({ read: (): void => void 0, construct: (done) => done(new Error('gone')) });
    for (let round = 0; round < 20; round += 1) {
      const staging = Array.from({ length: 20 }, () => store.stage(failing().on('error', () => {})));
      const settled = await Promise.allSettled(staging);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    }
    // The store's folders are written to, so that whatever was still to be opened has been.
    await (await store.stage(Readable.from([Buffer.from('x')]))).discard();
    expect(await files()).toEqual(['secret']);
  });
});

describe('removing', () => {
  test('one, or all below a key that ends with a slash; what is not there is no error', async () => {
    for (const key of ['m/1/a', 'm/1/b', 'm/2/a'])
      await (await store.stage(Readable.from([Buffer.from('x')]))).keep(key);
    await store.remove('m/1/a');
    expect(await store.size('m/1/a')).toBeNull();
    await store.remove('m/1/');
    expect([await store.size('m/1/b'), await store.size('m/2/a')]).toEqual([null, 1]);
    await store.remove('m/9/');
  });

  test('the folder that a blob is just being kept in makes neither fail', async () => {
    for (let round = 0; round < 200; round += 1) {
      const blobs = await Promise.all([0, 1, 2, 3].map(() => store.stage(Readable.from([Buffer.from('x')]))));
      const keeping = blobs.map((blob, index) => blob.keep(`m/1/${index}`));
      await Promise.all([...keeping, store.remove('m/1/')]);
    }
  });
});

describe('keys', () => {
  test.each(['../secret', '/../secret', 'a/../../secret', '..', '', '/', '.', 'a/..'])(
    '"%s" leads nowhere',
    async (key) => {
      const tries = [async () => store.read(key), async () => store.remove(key)];
      const blob = await store.stage(Readable.from([Buffer.from('x')]));
      for (const attempt of [...tries, () => blob.keep(key)]) {
        await expect(attempt()).rejects.toThrow();
      }
      expect(await store.size(key)).toBeNull();
      expect(await files()).toContain('secret');
    },
  );

  test('no text leads out of the store', async () => {
    const odd = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('..', '.', '/', 'a', 'secret', '~', '%2e%2e', '\\'), { maxLength: 8 })
        .map((parts) => parts.join('/')),
    );
    await fc.assert(
      fc.asyncProperty(odd, async (key) => {
        await store.remove(key).catch(() => {});
        expect(await readdir(parent)).toContain('secret');
        expect(await store.size(key)).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});

describe('what is looked through', () => {
  test('is every blob below a folder, at any depth, with the time it was written', async () => {
    const keys = ['m/1/a', 'm/1/b', 'm/2/c/d', 'n/1'];
    for (const key of keys) await (await store.stage(Readable.from([Buffer.from('x')]))).keep(key);
    const seen: string[] = [];
    for await (const key of store.list('m')) seen.push(key);
    expect(seen.sort()).toEqual(['m/1/a', 'm/1/b', 'm/2/c/d']);
    const then = new Date('2026-01-01T00:00:00Z');
    await utimes(join(parent, 'blobs/n/1'), then, then);
    expect(await store.writtenAt('n/1')).toBe(then.getTime());
    expect(await store.writtenAt('n/2')).toBeNull();
  });

  test('is nothing where nothing was ever stored', async () => {
    for await (const key of store.list('m')) expect(key).toBeNull();
  });
});
