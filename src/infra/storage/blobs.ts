import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Completely received content without a key. Its holder must keep or discard it. */
export interface StagedBlob {
  /** Bytes. */
  size: number;
  /** Enough to read the dimensions of an image. */
  head: Buffer;
  /** Available until the content is kept or discarded. */
  bytes(): Promise<Buffer>;
  read(): Readable;
  /** Makes the content readable under `key`, which must be new. */
  keep(key: string): Promise<void>;
  /** May be called at any time. Does nothing to kept content. */
  discard(): Promise<void>;
}

/** Keys are relative paths of safe segments, such as `attachments/1/2/3`. */
export interface BlobStore {
  stage(content: Readable): Promise<StagedBlob>;
  /** Bytes; null if there is no such blob. */
  size(key: string): Promise<number | null>;
  /** Bytes `start` to `end`, inclusive; everything without a range. */
  read(key: string, range?: { start: number; end: number }): Readable;
  /** Milliseconds since the Unix epoch; null if there is no such blob. */
  writtenAt(key: string): Promise<number | null>;
  /** Keys below a folder, in no order. May include blobs that are added or removed in the meantime. */
  list(folder: string): AsyncIterable<string>;
  /** Removes the blob, or everything below a key that ends with a slash. Missing keys are no error. */
  remove(key: string): Promise<void>;
  /** @throws the reason of `signal` when it is aborted */
  removeEmptyFolders(folder: string, signal?: AbortSignal): Promise<void>;
  /** Whether the last request failed because the store was unavailable. */
  isAway(): boolean;
  close(): void;
}

export class BlobsUnavailable extends Error {
  override readonly name = 'BlobsUnavailable';

  /**
   * @param reason message of the store, or the connection error
   * @param mayPass true if the store is unavailable, false if it refuses
   */
  constructor(
    readonly reason: string,
    readonly mayPass: boolean,
  ) {
    super(`the upload store is not available: ${reason}`);
  }
}

const HEAD_BYTES = 64 * 1024;

/** Attempts to remove a folder into which files move, and to move a file into a removed folder. */
const TRIES = 10;

/** Incomplete uploads, including those of processes that died. */
export const STAGING = '.staging';

export function countingReceived(store: BlobStore, count: (bytes: number) => void): BlobStore {
  return {
    ...store,
    async stage(content) {
      const staged = await store.stage(content);
      count(staged.size);
      return staged;
    },
  };
}

export function createFileBlobStore(folder: string): BlobStore {
  const pathOf = (key: string) => {
    const path = normalize(join(folder, key));
    const inside = join(folder, '/');
    if (!path.startsWith(inside) || path === inside) throw new RangeError('the blob key points outside the store');
    return path;
  };
  return {
    async stage(content) {
      const path = pathOf(`${STAGING}/${randomUUID()}`);
      await mkdir(dirname(path), { recursive: true });
      // Opened before anything can fail: a file that is still being opened could be created after its removal.
      const file = await open(path, 'w');
      const seen = { size: 0, head: Buffer.alloc(0) };
      try {
        await pipeline(
          content,
          async function* (chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              seen.size += chunk.length;
              if (seen.head.length < HEAD_BYTES) seen.head = Buffer.concat([seen.head, chunk]).subarray(0, HEAD_BYTES);
              yield chunk;
            }
          },
          file.createWriteStream(),
        );
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      return {
        ...seen,
        bytes: () => readFile(path),
        read: () => createReadStream(path),
        keep: async (key) => moveTo(path, pathOf(key)),
        discard: () => rm(path, { force: true }),
      };
    },
    async size(key) {
      try {
        const found = await stat(pathOf(key));
        return found.isFile() ? found.size : null;
      } catch {
        return null;
      }
    },
    async writtenAt(key) {
      const found = await stat(pathOf(key)).catch(() => null);
      return found && Math.floor(found.mtimeMs);
    },
    list: (below) => filesBelow(pathOf(below), below),
    read: (key, range) => createReadStream(pathOf(key), range),
    remove: async (key) => rm(pathOf(key), { recursive: true, force: true, maxRetries: TRIES, retryDelay: 1 }),
    removeEmptyFolders: async (below, signal) => void (await isEmptied(pathOf(below), signal)),
    isAway: () => false,
    close() {},
  };
}

/** A folder that is missing, or is removed in the meantime, has no files. */
async function* filesBelow(path: string, key: string): AsyncGenerator<string, void> {
  const folder = await opendir(path).catch(() => null);
  if (!folder) return;
  for await (const entry of folder) {
    const [entryPath, entryKey] = [join(path, entry.name), `${key}/${entry.name}`];
    if (entry.isDirectory()) yield* filesBelow(entryPath, entryKey);
    else if (entry.isFile()) yield entryKey;
  }
}

/** @returns whether the folder is empty now */
async function isEmptied(path: string, signal: AbortSignal | undefined): Promise<boolean> {
  const folder = await opendir(path).catch(() => null);
  if (!folder) return false;
  let isEmpty = true;
  for await (const entry of folder) {
    signal?.throwIfAborted();
    const inside = join(path, entry.name);
    if (!entry.isDirectory() || !(await isEmptied(inside, signal)) || !(await isRemoved(inside))) isEmpty = false;
  }
  return isEmpty;
}

function isRemoved(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

/** Retries if the target folder is removed in the meantime. */
async function moveTo(path: string, target: string): Promise<void> {
  for (let move = 1; ; move += 1) {
    try {
      await mkdir(dirname(target), { recursive: true });
      await rename(path, target);
      return;
    } catch (error) {
      if (move === TRIES) throw error;
    }
  }
}
