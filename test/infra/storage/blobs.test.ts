import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readConfig, type S3Location } from '../../../src/config.js';
import { type Clock, systemClock } from '../../../src/infra/clock.js';
import { type BlobStore, BlobsUnavailable, createFileBlobStore } from '../../../src/infra/storage/blobs.js';
import { openS3BlobStore, type S3Limits } from '../../../src/infra/storage/s3-blobs.js';
import { ManualClock } from '../../harness/clock.js';
import { readableLog, readLines } from '../../harness/log.js';
import { S3_CREDENTIALS, type S3Server, startS3 } from '../../harness/s3.js';

let parent: string;
let store: BlobStore;
let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.remove());

const silent = pino({ level: 'silent' });

const placeOf = (path: string): S3Location => {
  const { blobs } = readConfig({ BLOB_URL: s3.blobUrl(path) });
  if (!blobs) throw new Error('no place was read');
  return blobs;
};
const KINDS = {
  'a folder': async () => createFileBlobStore(join(parent, 'blobs')),
  'an S3 bucket': () =>
    openS3BlobStore(
      placeOf(`blobs/${basename(parent)}`),
      createFileBlobStore(join(parent, 'blobs')),
      systemClock,
      silent,
    ),
};

describe.each(Object.entries(KINDS))('in %s', (kind, open) => {
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'causeway-blobs-'));
    await writeFile(join(parent, 'secret'), 'outside');
    store = await open();
  });
  afterEach(async () => {
    store.close();
    await rm(parent, { recursive: true, force: true });
  });

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

    test('can be discarded repeatedly, and is gone afterwards', async () => {
      const blob = await store.stage(Readable.from([Buffer.from('x')]));
      await blob.discard();
      await blob.discard();
      expect(await files()).toEqual(['secret']);
    });

    test('returns its first 64 KiB', async () => {
      const content = Buffer.alloc(200_000, 'ab');
      const blob = await store.stage(Readable.from([content.subarray(0, 50_000), content.subarray(50_000)]));
      expect(blob.head.equals(content.subarray(0, 65_536))).toBe(true);
      await blob.keep('b');
      expect((await buffer(store.read('b'))).equals(content)).toBe(true);
    });

    test('leaves no file when its source fails', async () => {
      const broken = Readable.from(
        (async function* () {
          yield Buffer.from('half');
          throw new Error('the sender went away');
        })(),
      );
      await expect(store.stage(broken)).rejects.toThrow('went away');
      expect(await files()).toEqual(['secret']);
    });

    test('leaves no file when its source fails at once, however busy the disk', async () => {
      const failing = () => new Readable({ read: (): void => void 0, construct: (done) => done(new Error('gone')) });
      for (let round = 0; round < 20; round += 1) {
        const staging = Array.from({ length: 20 }, () => store.stage(failing().on('error', () => {})));
        const settled = await Promise.allSettled(staging);
        expect(settled.filter(({ status }) => status === 'fulfilled')).toEqual([]);
      }
      // This write waits for all file operations before it.
      await (await store.stage(Readable.from([Buffer.from('x')]))).discard();
      expect(await files()).toEqual(['secret']);
    });
  });

  describe('removing', () => {
    test('works for one blob and for all below a key that ends with a slash, and missing ones are no error', async () => {
      for (const key of ['m/1/a', 'm/1/b', 'm/2/a'])
        await (await store.stage(Readable.from([Buffer.from('x')]))).keep(key);
      await store.remove('m/1/a');
      expect(await store.size('m/1/a')).toBeNull();
      await store.remove('m/1/');
      expect([await store.size('m/1/b'), await store.size('m/2/a')]).toEqual([null, 1]);
      await store.remove('m/9/');
    });

    test('the folder of a blob that is being stored makes neither fail', async () => {
      for (let round = 0; round < (kind === 'a folder' ? 200 : 10); round += 1) {
        const blobs = await Promise.all([0, 1, 2, 3].map(() => store.stage(Readable.from([Buffer.from('x')]))));
        const keeping = blobs.map((blob, index) => blob.keep(`m/1/${index}`));
        await Promise.all([...keeping, store.remove('m/1/')]);
      }
    });
  });

  describe('keys', () => {
    test.each(['../secret', '/../secret', 'a/../../secret', '..', '', '/', '.', 'a/..'])(
      '"%s" is refused',
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

  describe('the listing', () => {
    test('has every blob below a folder, at any depth, with the time it was written', async () => {
      const keys = ['m/1/a', 'm/1/b', 'm/2/c/d', 'n/1'];
      for (const key of keys) await (await store.stage(Readable.from([Buffer.from('x')]))).keep(key);
      const seen: string[] = [];
      for await (const key of store.list('m')) seen.push(key);
      expect(seen.sort()).toEqual(['m/1/a', 'm/1/b', 'm/2/c/d']);
      if (kind === 'a folder') {
        const then = new Date('2026-01-01T00:00:00Z');
        await utimes(join(parent, 'blobs/n/1'), then, then);
        expect(await store.writtenAt('n/1')).toBe(then.getTime());
      } else {
        expect(Math.abs(((await store.writtenAt('n/1')) ?? 0) - Date.now())).toBeLessThan(600_000);
      }
      expect(await store.writtenAt('n/2')).toBeNull();
    });

    test('is empty if nothing was ever stored', async () => {
      for await (const key of store.list('m')) expect(key).toBeNull();
    });
  });
});

describe('an S3 bucket', () => {
  const open = async (
    location: S3Location,
    log = silent,
    clock: Clock = systemClock,
    limits: Partial<S3Limits> = {},
  ) => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-staging-'));
    return openS3BlobStore(location, createFileBlobStore(folder), clock, log, limits);
  };

  test('is used below a path, separately from other paths', async () => {
    const [mine, theirs] = [await open(placeOf('mine')), await open(placeOf('mine-too'))];
    for (const one of [mine, theirs]) await (await one.stage(Readable.from([Buffer.from('x')]))).keep('m/1/a');
    await mine.remove('m/');
    expect([await mine.size('m/1/a'), await theirs.size('m/1/a')]).toEqual([null, 1]);
  });

  test('can list and remove more blobs than one response of the store holds', async () => {
    const bucket = await open(placeOf('many'), silent, systemClock, { keysPerPage: 9 });
    const keys = Array.from({ length: 30 }, (_none, index) => `m/${index}`);
    for (const key of keys) await (await bucket.stage(Readable.from([Buffer.from('x')]))).keep(key);
    const seen: string[] = [];
    for await (const key of bucket.list('m')) seen.push(key);
    expect(seen.sort()).toEqual(keys.sort());
    await bucket.remove('m/');
    for await (const key of bucket.list('m')) expect(key).toBeNull();
  });

  test('that does not exist stops the start with a message', async () => {
    const location = { ...placeOf('x'), bucket: 'nobody' };
    await expect(open(location)).rejects.toThrow(
      /^could not use the store of BLOB_URL: the store refused to list: NoSuchBucket/,
    );
  });

  test('to which the credentials give no access stops the start with a message', async () => {
    process.env.AWS_ACCESS_KEY_ID = 'nobody';
    try {
      await expect(open(placeOf('x'))).rejects.toThrow(
        /^could not use the store of BLOB_URL: the store refused to list: InvalidAccessKeyId/,
      );
    } finally {
      Object.assign(process.env, S3_CREDENTIALS);
    }
  });

  test('whose server goes away and comes back is waited for, and the log says so once', async () => {
    const own = await startS3();
    const { log, lines } = readableLog('info');
    const { blobs } = readConfig({ BLOB_URL: own.blobUrl() });
    if (!blobs) throw new Error('no place was read');
    const clock = new ManualClock();
    const bucket = await open(blobs, log, clock);
    const staged = await bucket.stage(Readable.from([Buffer.from('hello')]));
    await own.stop();
    await expect(staged.keep('m/1')).rejects.toThrow(BlobsUnavailable);
    await expect(text(bucket.read('m/1'))).rejects.toThrow(BlobsUnavailable);
    await expect(bucket.size('m/1')).rejects.toThrow(BlobsUnavailable);
    expect(bucket.isAway()).toBe(true);
    await own.start();
    clock.advance(5_000);
    await expect.poll(() => bucket.isAway()).toBe(false);
    await staged.keep('m/1');
    expect(await text(bucket.read('m/1'))).toBe('hello');
    expect(readLines(lines).map(({ msg }) => msg)).toEqual([
      'The store of BLOB_URL is not available',
      'The store of BLOB_URL is available again',
    ]);
    await own.stop();
    await open(blobs, log);
    await own.remove();
  });

  test('accepts a file as a whole or gives the reason, and releases received data', async () => {
    const bucket = await open(placeOf('unread'));
    const staged = await bucket.stage(Readable.from([Buffer.alloc(500_000)]));
    await staged.discard();
    await expect(staged.keep('m/1')).rejects.toThrow(/ENOENT/);
    expect([await bucket.size('m/1'), bucket.isAway()]).toEqual([null, false]);
  });

  test('is not away if a reader stops reading', async () => {
    const bucket = await open(placeOf('turned'));
    await (await bucket.stage(Readable.from([Buffer.alloc(1_000_000)]))).keep('m/1');
    const reading = bucket.read('m/1');
    reading.on('error', () => {});
    reading.destroy();
    await expect(text(bucket.read('m/none'))).rejects.toThrow();
    expect([await bucket.size('m/1'), bucket.isAway()]).toEqual([1_000_000, false]);
  });

  describe('that stalls in the middle of a file', () => {
    /** A store that has this many bytes of a file, sends more on demand, and never ends. */
    const openQuiet = async (bytes: number) => {
      let answer: ServerResponse | undefined;
      const send = (count: number) => answer?.write(Buffer.alloc(count, 'x'));
      const server = createServer(({ method, url = '' }, response) => {
        if (url.includes('list-type')) return response.end('<ListBucketResult/>');
        if (method !== 'GET') return response.end();
        answer = response.writeHead(200, { 'content-length': 2 * bytes });
        return send(bytes);
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const clock = new ManualClock();
      const bucket = await open({ ...placeOf('quiet'), endpoint: `http://127.0.0.1:${port}` }, silent, clock);
      const reading = bucket.read('m/1');
      return {
        clock,
        reading,
        failed: once(reading, 'error'),
        send,
        async take(count: number) {
          let taken = 0;
          for await (const chunk of reading.iterator({ destroyOnReturn: false })) {
            taken += chunk.length;
            if (taken >= count) break;
          }
          expect(taken).toBe(count);
          reading.resume();
        },
        /** Advances the clock to just before and to the moment at which the store counts as away. */
        async isAwayAfter(ms: number) {
          clock.advance(ms - 1);
          expect([bucket.isAway(), reading.destroyed]).toEqual([false, false]);
          clock.advance(1);
          expect(bucket.isAway()).toBe(true);
        },
        isAway: () => bucket.isAway(),
        close: () => {
          bucket.close();
          server.close();
          server.closeAllConnections();
        },
      };
    };

    test('is away for a waiting reader 30 s after the last data', async () => {
      const store = await openQuiet(2_000_000);
      await store.take(2_000_000);
      store.clock.advance(20_000);
      store.reading.pause();
      store.send(1_000);
      await store.take(1_000);
      await store.isAwayAfter(30_000);
      const [error] = await store.failed;
      expect(error).toEqual(new BlobsUnavailable('the store sent no more data of a file for 30 s', true));
      store.close();
    });

    test('is not away while its reader reads nothing, nor for 30 s after the reader waits again', async () => {
      const store = await openQuiet(2_000_000);
      await vi.waitFor(() => expect(store.reading).toHaveProperty('writableNeedDrain', true));
      for (let minute = 0; minute < 5; minute += 1) store.clock.advance(60_000);
      store.clock.advance(29_999);
      expect([store.isAway(), store.reading.destroyed]).toEqual([false, false]);
      await store.take(2_000_000);
      await store.isAwayAfter(30_000);
      await store.failed;
      store.close();
    });
  });
});
