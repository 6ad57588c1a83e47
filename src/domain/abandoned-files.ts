import { type BlobStore, STAGING } from '../infra/blobs.js';
import type { Clock } from '../infra/clock.js';
import type { Reader } from '../infra/database/index.js';
import { nextTurn } from '../infra/turns.js';
import { applicationIcons, teamIcons } from './icons.js';
import type { KeptFiles } from './kept-files.js';
import { attachmentFiles } from './messages/files.js';

/** What looking for abandoned files takes. */
export interface FileKeeping {
  read: Reader;
  blobs: BlobStore;
  clock: Clock;
}

const KINDS: readonly KeptFiles[] = [attachmentFiles, applicationIcons, teamIcons];

/**
 * A file without a row is abandoned when it is this old, in milliseconds: many times what a request may take, since a file is in its
 * place before its row is. The same for what is being received.
 */
const ABANDONED_AFTER_MS = 60 * 60_000;

/** Files whose rows are looked for with one query: SQLite takes 999 parameters. */
const FILES_PER_QUERY = 400;

/**
 * Looks through all files once, in pieces. What has a row is never removed, and what is young is not either.
 * @throws the reason of `signal` when that is aborted
 */
export async function removeAbandonedFiles(keeping: FileKeeping, signal?: AbortSignal): Promise<void> {
  await removeOld(keeping, blobsOf(keeping, STAGING, signal));
  for (const kind of KINDS) {
    // A database that knows no file may be another one than that of these files: nothing is to be lost by a wrong setting.
    if (await kind.knowsAny(keeping.read)) await removeOld(keeping, withoutRow(keeping, kind, signal));
  }
}

async function* blobsOf({ blobs }: FileKeeping, folder: string, signal?: AbortSignal): AsyncGenerator<string, void> {
  for await (const key of blobs.list(folder)) {
    signal?.throwIfAborted();
    yield key;
  }
}

async function* withoutRow(keeping: FileKeeping, kind: KeptFiles, signal?: AbortSignal): AsyncGenerator<string, void> {
  let keys: string[] = [];
  for await (const key of blobsOf(keeping, kind.folder, signal)) {
    keys.push(key);
    if (keys.length < FILES_PER_QUERY) continue;
    yield* await abandonedOf(keeping, kind, keys);
    keys = [];
  }
  if (keys.length > 0) yield* await abandonedOf(keeping, kind, keys);
}

async function abandonedOf({ read }: FileKeeping, kind: KeptFiles, keys: string[]): Promise<string[]> {
  await nextTurn();
  const kept = new Set(await kind.withRow(read, keys));
  return keys.filter((key) => !kept.has(key));
}

/** Looks at a file's age after its row was looked for: what came to be in between is young. */
async function removeOld({ blobs, clock }: FileKeeping, keys: AsyncIterable<string>): Promise<void> {
  for await (const key of keys) {
    const writtenAt = await blobs.writtenAt(key);
    if (writtenAt !== null && clock.now() - writtenAt > ABANDONED_AFTER_MS) await blobs.remove(key);
  }
}
