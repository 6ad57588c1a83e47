import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.js';
import { type BlobStore, BlobsUnavailable, createFileBlobStore } from '../../../src/infra/storage/blobs.js';
import { openS3BlobStore, type S3Limits } from '../../../src/infra/storage/s3-blobs.js';
import { ManualClock } from '../../harness/clock.js';
import { readableLog } from '../../harness/log.js';
import { blobUrlAt, type S3Server, startS3 } from '../../harness/s3.js';

type Operation = 'list' | 'look' | 'read' | 'write' | 'remove';

/** An answer in place of the server's. Without a code it has no body. */
interface Refused {
  status: number;
  code?: string;
}

/** A proxy of an S3 server. It records requests and answers some of them itself. */
class Front {
  readonly asked: { operation: Operation; path: string }[] = [];
  readonly #server: Server;
  /** Returns the answer for an operation, or null to pass it on. */
  refuse: (operation: Operation) => Refused | null = () => null;
  /** Handles uploads in place of the server. */
  take: ((put: IncomingMessage) => void) | null = null;

  constructor(private readonly behind: URL) {
    this.#server = createServer((asking, answer) => this.#hand(asking, answer));
  }

  static async before(s3: S3Server): Promise<Front> {
    const front = new Front(new URL(s3.endpoint));
    await once(front.#server.listen(0, '127.0.0.1'), 'listening');
    return front;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  pathsOf(operation: Operation): string[] {
    return this.asked.filter((one) => one.operation === operation).map(({ path }) => path);
  }

  async nextPut(): Promise<IncomingMessage> {
    for (;;) {
      const [asking] = (await once(this.#server, 'request')) as [IncomingMessage];
      if (asking.method === 'PUT') return asking;
    }
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #hand(asking: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url = '', headers } = asking;
    const operation = operationOf(method, url);
    this.asked.push({ operation, path: url.split('?')[0] ?? '' });
    const refused = this.refuse(operation);
    if (refused) {
      asking.resume();
      const { status, code } = refused;
      answer.writeHead(status).end(code && `<Error><Code>${code}</Code><Message>so it is</Message></Error>`);
    } else if (operation === 'write' && this.take) {
      this.take(asking);
    } else {
      const onward = request(new URL(url, this.behind), { method, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 0, answered.headers);
        answered.pipe(answer);
      });
      asking.pipe(onward.on('error', () => answer.destroy()));
    }
  }
}

function operationOf(method: string, url: string): Operation {
  if (url.includes('list-type')) return 'list';
  const operations: Record<string, Operation> = { HEAD: 'look', GET: 'read', PUT: 'write', DELETE: 'remove' };
  const operation = operations[method];
  if (!operation) throw new Error(`nobody asks ${method} of a store`);
  return operation;
}

let s3: S3Server;
let folder: string;
let front: Front;
let clock: ManualClock;
let logged: ReturnType<typeof readableLog>;
let opened: BlobStore[];

beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.remove());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-staging-'));
  front = await Front.before(s3);
  clock = new ManualClock();
  logged = readableLog('info');
  opened = [];
});
afterEach(async () => {
  for (const store of opened) store.close();
  front.close();
  await rm(folder, { recursive: true, force: true });
});

const open = async (
  endpoint = front.endpoint,
  staging = createFileBlobStore(join(folder, 'blobs')),
  limits: Partial<S3Limits> = {},
) => {
  const { blobs } = readConfig({ BLOB_URL: blobUrlAt(endpoint, 'faults') });
  if (!blobs) throw new Error('no place was read');
  const store = await openS3BlobStore(blobs, staging, clock, logged.log, limits);
  opened.push(store);
  return store;
};
const keep = async (store: BlobStore, key: string, content = Buffer.from('x')) =>
  (await store.stage(Readable.from([content]))).keep(key);
const keysIn = async (store: BlobStore) => {
  const keys: string[] = [];
  for await (const key of store.list('m')) keys.push(key);
  return keys;
};
const told = () => logged.lines.map((line) => JSON.parse(line) as { msg: string; key?: string; reason?: string });

const ASKING: Record<Operation, (store: BlobStore) => Promise<unknown>> = {
  list: keysIn,
  look: (store) => store.size('m/1'),
  read: (store) => text(store.read('m/1')),
  write: (store) => keep(store, 'm/1'),
  remove: (store) => store.remove('m/1'),
};
const OPERATIONS = Object.keys(ASKING) as Operation[];

describe('an upload', () => {
  test('may take longer than the limit of other requests while data is accepted now and then', async () => {
    const source = new PassThrough();
    const files = createFileBlobStore(join(folder, 'blobs'));
    const stage: BlobStore['stage'] = async (content) => ({ ...(await files.stage(content)), read: () => source });
    const store = await open(front.endpoint, { ...files, stage }, { requestTimeout: 200 });
    const staged = await store.stage(Readable.from([Buffer.from('abcde')]));
    const coming = front.nextPut();
    const kept = staged.keep('m/slow');
    source.write('a');
    const put = await coming;
    let came = '';
    put.on('data', (chunk) => {
      came += chunk;
    });
    for (const piece of 'bcde') {
      clock.advance(20_000);
      await setTimeout(100);
      source.write(piece);
      while (!came.endsWith(piece)) await once(put, 'data');
    }
    source.end();
    await kept;
    expect(await text(store.read('m/slow'))).toBe('abcde');
    expect([front.pathsOf('write').filter((path) => path.endsWith('m/slow')).length, store.isAway()]).toEqual([
      1,
      false,
    ]);
  });

  test('is sent again 30 s after all of it was sent without an answer; then the store is away', async () => {
    const store = await open();
    front.take = (put) => void put.resume();
    const kept = keep(store, 'm/unanswered').catch((error: unknown) => error);
    for (const isAwayBefore of [false, true]) {
      await once((await front.nextPut()).resume(), 'end');
      clock.advance(29_999);
      expect(store.isAway()).toBe(isAwayBefore);
      clock.advance(1);
      expect(store.isAway()).toBe(true);
    }
    expect(await kept).toEqual(new BlobsUnavailable('the store accepted no more data of a file for 30 s', true));
  });

  test('is refused immediately with an invalid key', async () => {
    const store = await open();
    await expect(keep(store, '../secret')).rejects.toThrow(RangeError);
    clock.advance(60_000);
    expect([store.isAway(), clock.waiting]).toEqual([false, 0]);
  });

  test('is given up when no more data is accepted, and sent again', async () => {
    const store = await open();
    front.take = () => {};
    const staged = await store.stage(Readable.from([Buffer.alloc(50_000_000)]));
    const [coming, kept] = [front.nextPut(), staged.keep('m/halfway')];
    await coming;
    const again = front.nextPut();
    front.take = (put) => void put.resume();
    while (!store.isAway()) {
      await setImmediate();
      clock.advance(1_000);
    }
    await again;
    front.close();
    await expect(kept).rejects.toThrow(BlobsUnavailable);
    expect(told().map(({ reason }) => reason)).toEqual(['the store accepted no more data of a file for 30 s']);
  });
});

describe('a request without an answer', () => {
  test.each(OPERATIONS)('is sent twice in all: %s', async (operation) => {
    const store = await open();
    front.asked.length = 0;
    front.refuse = (asked) => (asked === operation ? { status: 503, code: 'InternalError' } : null);
    await expect(ASKING[operation](store)).rejects.toThrow(BlobsUnavailable);
    expect(front.pathsOf(operation)).toHaveLength(2);
    expect(store.isAway()).toBe(true);
  });
});

describe('a failure of one request', () => {
  test.each<{ answer: Refused; isAway: boolean }>([
    { answer: { status: 403, code: 'AccessDenied' }, isAway: false },
    { answer: { status: 400, code: 'KeyTooLongError' }, isAway: false },
    { answer: { status: 404, code: 'NoSuchBucket' }, isAway: false },
    { answer: { status: 400, code: 'RequestTimeout' }, isAway: true },
    { answer: { status: 400, code: 'SlowDown' }, isAway: true },
    { answer: { status: 408 }, isAway: true },
    { answer: { status: 429, code: 'TooManyRequests' }, isAway: true },
    { answer: { status: 500, code: 'InternalError' }, isAway: true },
    { answer: { status: 503, code: 'SlowDown' }, isAway: true },
    { answer: { status: 503 }, isAway: true },
  ])('makes the store away only if it is temporary: $answer.status $answer.code', async ({ answer, isAway }) => {
    const store = await open();
    front.refuse = (operation) => (operation === 'remove' ? answer : null);
    await expect(store.remove('m/1')).rejects.toMatchObject({ name: 'BlobsUnavailable', mayPass: isAway });
    expect(store.isAway()).toBe(isAway);
    expect(told().map(({ msg }) => msg)).toEqual([
      isAway ? 'The store of BLOB_URL is not available' : 'The store of BLOB_URL refused a request',
    ]);
  });

  test.each(OPERATIONS)('that is a refusal is logged once and not repeated: %s', async (operation) => {
    const store = await open();
    front.asked.length = 0;
    front.refuse = (asked) => (asked === operation ? { status: 403, code: 'AccessDenied' } : null);
    await expect(ASKING[operation](store)).rejects.toThrow(BlobsUnavailable);
    expect(front.pathsOf(operation)).toHaveLength(1);
    const to = operation === 'look' ? 'read' : operation;
    const words = operation === 'look' ? 'HTTP 403' : 'AccessDenied: so it is';
    const key = operation === 'list' ? 'm/' : 'm/1';
    expect(told()).toMatchObject([{ level: 50, key, reason: `the store refused to ${to}: ${words}` }]);
    expect(store.isAway()).toBe(false);
  });

  test('that is a refusal ends an absence: the store answers', async () => {
    const store = await open();
    front.refuse = () => ({ status: 503 });
    await expect(store.remove('m/1')).rejects.toThrow(BlobsUnavailable);
    expect(store.isAway()).toBe(true);
    front.refuse = () => ({ status: 403, code: 'AccessDenied' });
    await expect(store.remove('m/1')).rejects.toThrow(BlobsUnavailable);
    expect([store.isAway(), clock.waiting]).toEqual([false, 0]);
  });

  test('that happens while the store is checked starts one timer only', async () => {
    const store = await open();
    front.refuse = () => ({ status: 503 });
    await expect(store.remove('m/1')).rejects.toThrow(BlobsUnavailable);
    front.refuse = () => null;
    front.take = () => {};
    const check = front.nextPut();
    clock.advance(5_000);
    const put = await check;
    await store.remove('m/1');
    expect([store.isAway(), clock.waiting]).toEqual([false, 0]);
    front.refuse = () => ({ status: 503 });
    await expect(store.remove('m/1')).rejects.toThrow(BlobsUnavailable);
    put.destroy();
    // As many failures and answers as the check has, which began before.
    await expect(store.remove('m/1')).rejects.toThrow(BlobsUnavailable);
    await expect(store.remove('m/1')).rejects.toThrow(BlobsUnavailable);
    expect(clock.waiting).toBe(1);
  });
});

describe('a start', () => {
  test.each<[to: Operation, answer: Refused, words: string]>([
    ['list', { status: 403, code: 'AccessDenied' }, 'AccessDenied'],
    ['write', { status: 403, code: 'AccessDenied' }, 'AccessDenied'],
    ['remove', { status: 403, code: 'AccessDenied' }, 'AccessDenied'],
    ['list', { status: 404 }, 'NotFound'],
    ['write', { status: 404 }, 'NotFound'],
  ])('is refused with a message if the permission to %s is missing: %o', async (to, answer, words) => {
    front.refuse = (operation) => (operation === to ? answer : null);
    await expect(open()).rejects.toThrow(
      new RegExp(`^could not use the store of BLOB_URL: the store refused to ${to}: ${words}`),
    );
  });

  test('checks its permissions with one key, which it removes, next to other processes that do the same', async () => {
    const stores = await Promise.all([open(), open(), open()]);
    expect(stores.map((store) => store.isAway())).toEqual([false, false, false]);
    const key = '/uploads/faults/.causeway-write-check';
    expect(front.pathsOf('write')).toEqual([key, key, key]);
    expect(front.pathsOf('remove')).toEqual([key, key, key]);
  });

  test('continues with a store that refuses to remove a missing blob', async () => {
    front.refuse = (operation) => (operation === 'remove' ? { status: 404, code: 'NoSuchKey' } : null);
    const store = await open();
    await store.remove('attachments/1/2/none.png');
    expect(store.isAway()).toBe(false);
    expect(told()).toEqual([]);
  });

  test('continues if the store is away, and checks its permissions when it is back', async () => {
    front.refuse = () => ({ status: 503 });
    const store = await open();
    expect(store.isAway()).toBe(true);
    front.refuse = (operation) => (operation === 'write' ? { status: 403, code: 'AccessDenied' } : null);
    clock.advance(5_000);
    await expect
      .poll(() => told().map(({ reason }) => reason))
      .toContain('the store refused to write: AccessDenied: so it is');
    expect(store.isAway()).toBe(false);
  });

  test('continues if the store accepts no uploads, and the store stays away until it does', async () => {
    front.refuse = (operation) => (operation === 'write' ? { status: 503 } : null);
    const store = await open();
    for (let asked = 1; asked <= 3; asked += 1) {
      const lists = front.pathsOf('list').length;
      clock.advance(5_000);
      await expect.poll(() => [front.pathsOf('list').length, clock.waiting]).toEqual([lists + 1, 1]);
    }
    expect(store.isAway()).toBe(true);
    front.refuse = () => null;
    clock.advance(5_000);
    await expect.poll(() => store.isAway()).toBe(false);
    expect(told().map(({ msg }) => msg)).toEqual([
      'The store of BLOB_URL is not available',
      'The store of BLOB_URL is available again',
    ]);
  });
});

describe('a missing file', () => {
  test('is distinguished from a missing bucket', async () => {
    const own = await startS3();
    const store = await open(own.endpoint);
    expect(await store.size('m/1')).toBeNull();
    const client = new S3Client({ endpoint: own.endpoint, forcePathStyle: true, region: 'us-east-1' });
    await client.send(new DeleteBucketCommand({ Bucket: 'uploads' }));
    client.destroy();
    clock.advance(5_000);
    const asking = [() => store.size('m/1'), () => store.writtenAt('m/1'), () => text(store.read('m/1'))];
    for (const ask of asking) await expect(ask()).rejects.toThrow(/NoSuchBucket/);
    await own.remove();
  });

  test('causes a check of the bucket once in 5 s at most', async () => {
    const store = await open();
    front.asked.length = 0;
    for (let round = 0; round < 2; round += 1) {
      clock.advance(5_000);
      for (let file = 0; file < 10; file += 1) expect(await store.size(`m/none-${file}`)).toBeNull();
    }
    expect([front.pathsOf('look').length, front.pathsOf('list').length]).toEqual([20, 2]);
  });
});
