import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Content that was received whole and has no key yet. Either kept or discarded by whoever holds it. */
export interface StagedBlob {
  /** Bytes. */
  size: number;
  /** The first bytes, enough to tell an image's size. */
  head: Buffer;
  /** All of the content, as long as it is neither kept nor discarded. */
  bytes(): Promise<Buffer>;
  /** The same, a piece at a time. */
  read(): Readable;
  /** Makes the content readable under `key`, which nobody has used before. */
  keep(key: string): Promise<void>;
  /** Safe to call at any time; does nothing to content that is kept. */
  discard(): Promise<void>;
}

/** Where uploads are kept. A key is a relative path of safe segments, such as `attachments/1/2/3`. */
export interface BlobStore {
  /** Receives all of `content`. */
  stage(content: Readable): Promise<StagedBlob>;
  /** Size in bytes, or null when there is no such blob. */
  size(key: string): Promise<number | null>;
  /** Bytes `start` to `end`, both included; all of them without a range. */
  read(key: string, range?: { start: number; end: number }): Readable;
  /** When the blob was last written to, in milliseconds since the Unix epoch; null when there is no such blob. */
  writtenAt(key: string): Promise<number | null>;
  /** The keys below a folder such as `attachments`, in no order. What comes or goes meanwhile may be among them. */
  list(folder: string): AsyncIterable<string>;
  /** Removes the blob, or everything below a key that ends with a slash. Removing what is not there is no error. */
  remove(key: string): Promise<void>;
  /** Removes the folders below one such as `attachments` in which there is nothing. @throws the reason of `signal` when that is aborted */
  removeEmptyFolders(folder: string, signal?: AbortSignal): Promise<void>;
  /** Whether what was asked of it last failed because it could not be used. */
  isAway(): boolean;
  close(): void;
}

/** Where blobs are kept is away, or refuses. The same may work in a moment. */
export class BlobsUnavailable extends Error {
  override readonly name = 'BlobsUnavailable';

  /**
   * @param reason what the store says, or what became of the connection
   * @param mayPass whether it is away, rather than refuses
   */
  constructor(
    readonly reason: string,
    readonly mayPass: boolean,
  ) {
    super(`the store of uploads is not available: ${reason}`);
  }
}

const HEAD_BYTES = 64 * 1024;

/** How often a folder is tried to be removed while files move in, and a file to be moved while the folder is removed. */
const TRIES = 10;

/** The folder of what is being received, and of what processes left there that died meanwhile. */
export const STAGING = '.staging';

/** The same store, which tells how many bytes each upload had that was received whole. */
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

/** A blob store in a folder. */
export function createFileBlobStore(folder: string): BlobStore {
  const pathOf = (key: string) => {
    const path = normalize(join(folder, key));
    const inside = join(folder, '/');
    if (!path.startsWith(inside) || path === inside) throw new RangeError('a blob key that leaves the store');
    return path;
  };
  return {
    async stage(content) {
      const path = pathOf(`${STAGING}/${randomUUID()}`);
      await mkdir(dirname(path), { recursive: true });
      // Opened before anything can fail: a file that is still being opened could come to be after it was removed.
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

/** A folder that is not there, or is removed meanwhile, has no files. */
async function* filesBelow(path: string, key: string): AsyncGenerator<string, void> {
  const folder = await opendir(path).catch(() => null);
  if (!folder) return;
  for await (const entry of folder) {
    const [entryPath, entryKey] = [join(path, entry.name), `${key}/${entry.name}`];
    if (entry.isDirectory()) yield* filesBelow(entryPath, entryKey);
    else if (entry.isFile()) yield entryKey;
  }
}

/** Removes the empty folders in a folder. @returns whether nothing is left in it */
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

/** A file may have moved in meanwhile. */
function isRemoved(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

/** Moves a file, again when the target's folder is removed meanwhile. */
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
