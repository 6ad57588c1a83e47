import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { type S3Location, StartError } from '../../config.js';
import type { Clock, Timer } from '../clock.js';
import type { Logger } from '../observability/logger.js';
import { type BlobStore, BlobsUnavailable, STAGING, type StagedBlob } from './blobs.js';

/** The S3 client's errors already carry what it would log to the console. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Milliseconds. A response body takes as long as its reader, so open sockets have no timeout and no maximum number. */
const REQUESTS = {
  connectionTimeout: 3_000,
  throwOnRequestTimeout: true,
  socketTimeout: 0,
  httpAgent: { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY },
  httpsAgent: { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY },
  logger: silent,
};

/** Longest stall of a transfer. A download that waits for its reader is not stalled. */
const SILENCE_MS = 30_000;

const ASK_AGAIN_AFTER_MS = 5_000;

/**
 * Attempts per request. The S3 client retries all requests except uploads, whose stream it cannot rewind. `#put`
 * retries those.
 */
const ATTEMPTS = 2;

/** A bucket counts as present this long after it answered. */
const BUCKET_SEEN_FOR_MS = 5_000;

/** No blob has these keys. */
const WRITE_CHECK = '.causeway-write-check';
const INSPECTION = '.causeway-doctor';

export interface S3Limits {
  keysPerPage: number;
  /** Time limit from sending a request to the start of its response, in milliseconds. Uploads have none. */
  requestTimeout: number;
}

/** S3 stores return at most 1,000 keys per page. */
const LIMITS: S3Limits = { keysPerPage: 1_000, requestTimeout: 30_000 };

const REMOVED_AT_ONCE = 8;

/**
 * Incomplete uploads stay in `staging`, on the local disk.
 * @throws {StartError} if the store refuses access. If it does not answer, this is logged and checked again later.
 */
export async function openS3BlobStore(
  location: S3Location,
  staging: BlobStore,
  clock: Clock,
  log: Logger,
  limits: Partial<S3Limits> = {},
): Promise<BlobStore> {
  const store = new S3Blobs(location, staging, clock, log, { ...LIMITS, ...limits });
  try {
    await store.check();
  } catch (error) {
    if (!(error instanceof BlobsUnavailable)) throw error;
    if (error.mayPass) return store;
    store.close();
    throw new StartError(`could not use the store of BLOB_URL: ${error.reason}`);
  }
  return store;
}

/**
 * Verifies the rights to list, write, read and remove.
 * @param staging is not used
 * @returns the time of the store in milliseconds minus the time of `clock`, to the second; null if it sends none
 * @throws {BlobsUnavailable}
 */
export async function inspectBucket(
  location: S3Location,
  staging: BlobStore,
  clock: Clock,
  log: Logger,
): Promise<number | null> {
  const store = new S3Blobs(location, staging, clock, log, { ...LIMITS, requestTimeout: INSPECTION_TIMEOUT_MS });
  try {
    return await store.inspect();
  } finally {
    store.close();
  }
}

const INSPECTION_TIMEOUT_MS = 5_000;

interface Asked {
  to: 'list' | 'read' | 'write' | 'remove';
  key: string;
}

class S3Blobs implements BlobStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  #isAway = false;
  #askingAgain: Timer | null = null;
  #bucketSeenAt = 0;

  constructor(
    { bucket, prefix, endpoint, region }: S3Location,
    private readonly staging: BlobStore,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly limits: S3Limits,
  ) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#client = new S3Client({
      ...(endpoint !== null && { endpoint, forcePathStyle: true, region: region ?? 'us-east-1' }),
      ...(region !== null && { region }),
      requestHandler: { ...REQUESTS, requestTimeout: limits.requestTimeout },
      maxAttempts: ATTEMPTS,
      logger: silent,
      // Many S3-compatible stores do not support the checksums that the client adds by default.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  isAway(): boolean {
    return this.#isAway;
  }

  close(): void {
    this.#askingAgain?.cancel();
    this.#client.destroy();
  }

  /**
   * Verifies the rights to list, write and remove.
   * @throws {BlobsUnavailable}
   */
  async check(): Promise<void> {
    await this.#note(() => this.#tryRights(WRITE_CHECK));
  }

  /**
   * Also verifies the right to read, and compares the clocks.
   * @throws {BlobsUnavailable}
   */
  async inspect(): Promise<number | null> {
    let offset: number | null = null;
    this.#client.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args);
        offset = offsetOf(answer.response, this.clock) ?? offset;
        return answer;
      },
      { step: 'deserialize' },
    );
    await this.#tryRights(INSPECTION, async () => {
      const get = new GetObjectCommand(this.#named(INSPECTION));
      const { Body } = await answerTo({ to: 'read', key: INSPECTION }, () => this.#client.send(get));
      await Body?.transformToByteArray();
    });
    return offset;
  }

  async #tryRights(key: string, whileWritten: () => Promise<void> = async () => {}): Promise<void> {
    const put = new PutObjectCommand({ ...this.#named(key), Body: 'x' });
    await answerTo({ to: 'list', key: '' }, () => this.#seeBucket());
    await answerTo({ to: 'write', key }, () => this.#client.send(put));
    await whileWritten();
    await answerTo({ to: 'remove', key }, () => this.#delete(key)).catch(unlessMissing);
  }

  async #seeBucket(): Promise<void> {
    await this.#client.send(new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, MaxKeys: 1 }));
    this.#bucketSeenAt = this.clock.now();
  }

  async stage(content: Readable): Promise<StagedBlob> {
    const staged = await this.staging.stage(content);
    return {
      ...staged,
      keep: async (key) => {
        await this.#put(key, staged);
        await staged.discard();
      },
    };
  }

  async #put(key: string, staged: StagedBlob): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#putOnce(key, staged);
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || !(error instanceof BlobsUnavailable && error.mayPass)) throw error;
      }
    }
  }

  /**
   * Unlike the S3 client, aborts if the source stream fails, closes it if the request fails, and detects a stalled
   * upload.
   */
  async #putOnce(key: string, { size, read }: StagedBlob): Promise<void> {
    const place = this.#named(key);
    // Paused first: the `data` listener of `watchSilence` would start the stream before the client reads it.
    const body = read().pause();
    const stopped = new AbortController();
    body.on('error', (error) => stopped.abort(error));
    const watch = watchSilence(body, this.clock, {
      isHeld: () => false,
      onSilence: () => stopped.abort(this.#wentQuiet('the store accepted no more data of a file')),
    });
    const put = new PutObjectCommand({ ...place, Body: body, ContentLength: size });
    const options = { abortSignal: stopped.signal, requestTimeout: 0 };
    try {
      await this.#ask({ to: 'write', key }, () => this.#client.send(put, options), stopped.signal);
    } catch (error) {
      stopped.signal.throwIfAborted();
      throw error;
    } finally {
      watch.cancel();
      body.destroy();
    }
  }

  async size(key: string): Promise<number | null> {
    return (await this.#head(key))?.ContentLength ?? null;
  }

  async writtenAt(key: string): Promise<number | null> {
    if (isStaged(key)) return this.staging.writtenAt(key);
    return (await this.#head(key))?.LastModified?.getTime() ?? null;
  }

  async #head(key: string): Promise<HeadObjectCommandOutput | null> {
    if (!isKey(key)) return null;
    const head = new HeadObjectCommand(this.#named(key));
    try {
      return await this.#ask({ to: 'read', key }, () => this.#client.send(head));
    } catch (error) {
      if (!(error instanceof NoSuchBlob)) throw error;
      await this.#requireBucket();
      return null;
    }
  }

  /**
   * A HEAD response has no body, so a missing blob may also mean a missing bucket. The check is rate-limited, because
   * clients can request missing blobs at will.
   */
  async #requireBucket(): Promise<void> {
    if (this.clock.now() - this.#bucketSeenAt < BUCKET_SEEN_FOR_MS) return;
    await this.#ask({ to: 'list', key: '' }, () => this.#seeBucket());
  }

  read(key: string, range?: { start: number; end: number }): Readable {
    const wanted = range && { Range: `bytes=${range.start}-${range.end}` };
    const content = new PassThrough();
    const gone = new AbortController();
    content.once('close', () => gone.abort());
    const get = new GetObjectCommand({ ...this.#named(key), ...wanted });
    this.#ask({ to: 'read', key }, () => this.#client.send(get, { abortSignal: gone.signal }), gone.signal)
      .then(({ Body }) => this.#pass(Body as Readable, content))
      .catch((error: Error) => content.destroy(error));
    return content;
  }

  /** @throws {BlobsUnavailable} if the store stalls, but not if the reader does */
  async #pass(body: Readable, content: PassThrough): Promise<void> {
    const watch = watchSilence(body, this.clock, {
      isHeld: () => content.writableNeedDrain,
      onSilence: () => body.destroy(this.#wentQuiet('the store sent no more data of a file')),
    });
    try {
      await pipeline(body, content);
    } finally {
      watch.cancel();
    }
  }

  async *list(folder: string): AsyncIterable<string> {
    if (isStaged(`${folder}/`)) yield* this.staging.list(folder);
    else yield* this.#listBelow(`${folder}/`);
  }

  async *#listBelow(key: string): AsyncIterable<string> {
    let next: string | undefined;
    do {
      const list = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: this.#prefix + key,
        MaxKeys: this.limits.keysPerPage,
        ContinuationToken: next,
      });
      const page = await this.#ask({ to: 'list', key }, () => this.#client.send(list));
      for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key.slice(this.#prefix.length);
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  async remove(key: string): Promise<void> {
    requireKey(key);
    if (isStaged(key)) return this.staging.remove(key);
    if (!key.endsWith('/')) return this.#removeOne(key);
    let group: string[] = [];
    const removeGroup = () => Promise.all(group.map((below) => this.#removeOne(below)));
    for await (const below of this.#listBelow(key)) {
      group.push(below);
      if (group.length < REMOVED_AT_ONCE) continue;
      await removeGroup();
      group = [];
    }
    await removeGroup();
  }

  async #removeOne(key: string): Promise<void> {
    await this.#ask({ to: 'remove', key }, () => this.#delete(key)).catch(unlessMissing);
  }

  #delete(key: string): Promise<unknown> {
    return this.#client.send(new DeleteObjectCommand(this.#named(key)));
  }

  /** S3 has no folders. */
  async removeEmptyFolders(): Promise<void> {}

  #named(key: string): { Bucket: string; Key: string } {
    requireKey(key);
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }

  /**
   * @param gone aborted when the caller no longer waits, which does not make the store unavailable
   * @throws {BlobsUnavailable}, {@link NoSuchBlob}
   */
  #ask<T>(asked: Asked, request: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    return this.#note(() => answerTo(asked, request), gone);
  }

  /** Logs once when the store becomes unavailable and once when it recovers. Logs every refusal. */
  async #note<T>(asking: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    try {
      const answer = await asking();
      this.#answered();
      return answer;
    } catch (error) {
      if (!gone?.aborted) this.#noteFault(error);
      throw error;
    }
  }

  #noteFault(error: unknown): void {
    if (error instanceof BlobsUnavailable && error.mayPass) {
      this.#failed(error.reason);
      return;
    }
    this.#answered();
    if (!(error instanceof Refusal)) return;
    this.log.error({ key: error.key, reason: error.reason }, 'The store of BLOB_URL refused a request');
  }

  #wentQuiet(what: string): BlobsUnavailable {
    const quiet = new BlobsUnavailable(`${what} for ${SILENCE_MS / 1_000} s`, true);
    this.#failed(quiet.reason);
    return quiet;
  }

  #answered(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#askingAgain?.cancel();
    this.log.info('The store of BLOB_URL is available again');
  }

  #failed(reason: string): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.log.error({ reason }, 'The store of BLOB_URL is not available');
    this.#askAgainLater();
  }

  #askAgainLater(): void {
    this.#askingAgain?.cancel();
    this.#askingAgain = this.clock.after(ASK_AGAIN_AFTER_MS, async () => {
      await this.check().catch(() => {});
      if (this.#isAway) this.#askAgainLater();
    });
  }
}

/**
 * Calls `onSilence` when `source` has emitted nothing for {@link SILENCE_MS}, unless `isHeld` says that its reader is
 * slow.
 */
function watchSilence(
  source: Readable,
  clock: Clock,
  { isHeld, onSilence }: { isHeld: () => boolean; onSilence: () => void },
): Timer {
  let heardAt = clock.now();
  const note = () => {
    heardAt = clock.now();
  };
  source.on('data', note);
  const look = (): Timer =>
    clock.after(heardAt + SILENCE_MS - clock.now(), () => {
      if (isHeld()) note();
      if (clock.now() - heardAt >= SILENCE_MS) onSilence();
      else timer = look();
    });
  let timer = look();
  return { cancel: () => timer.cancel() };
}

function isStaged(key: string): boolean {
  return key.startsWith(`${STAGING}/`);
}

/** Same code as for a missing file in the file store. */
class NoSuchBlob extends Error {
  override readonly name = 'NoSuchBlob';
  readonly code = 'ENOENT';
  override readonly message = 'there is no such blob';
}

/** Some stores answer 404 to the DELETE of a missing key. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof NoSuchBlob)) throw error;
}

/** The store refused one request. It still counts as available. */
class Refusal extends BlobsUnavailable {
  readonly key: string;

  constructor({ to, key }: Asked, words: string) {
    super(`the store refused to ${to}: ${words}`, false);
    this.key = key;
  }
}

/**
 * Errors of the S3 client hold the whole connection, so they are not logged.
 * @throws {BlobsUnavailable}, {@link NoSuchBlob}
 */
async function answerTo<T>(asked: Asked, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (isMissing(asked, error)) throw new NoSuchBlob();
    throw mayPass(error) ? new BlobsUnavailable(wordsOf(error), true) : new Refusal(asked, wordsOf(error));
  }
}

function requireKey(key: string): void {
  if (!isKey(key)) throw new RangeError('the blob key points outside the store');
}

function isKey(key: string): boolean {
  return !/^$|^\/|(^|\/)\.{1,2}(\/|$)/.test(key);
}

function isMissing({ to }: Asked, error: unknown): boolean {
  if (to === 'list' || to === 'write') return false;
  return error instanceof S3ServiceException && (error.name === 'NotFound' || error.name === 'NoSuchKey');
}

/** Temporary errors with a 4xx status. */
const PASSING_NAMES = new Set(['SlowDown', 'RequestTimeout']);
const PASSING_STATUSES = new Set([408, 429]);

/** The store is unreachable, throttles requests, or reports a server error. */
function mayPass(error: unknown): boolean {
  if (error instanceof S3ServiceException) {
    const { $fault, name, $metadata } = error;
    return $fault === 'server' || PASSING_NAMES.has(name) || PASSING_STATUSES.has($metadata.httpStatusCode ?? 0);
  }
  return (
    error instanceof Error && (error.name === 'TimeoutError' || ('code' in error && typeof error.code === 'string'))
  );
}

/** The middle of the second that the `Date` header names is the best guess. */
const HALF_SECOND_MS = 500;

function offsetOf(response: unknown, clock: Clock): number | null {
  const { headers = {} } = response as { headers?: Record<string, string> };
  const at = Date.parse(headers.date ?? '');
  return Number.isNaN(at) ? null : at + HALF_SECOND_MS - clock.now();
}

/** Some errors have an empty message. A response without a body leaves only the status. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  if (error instanceof S3ServiceException && name === 'Unknown') return `HTTP ${error.$metadata.httpStatusCode}`;
  const code = 'code' in error ? String(error.code) : '';
  return [name, message || code].filter((text, index, all) => text !== '' && all.indexOf(text) === index).join(': ');
}
