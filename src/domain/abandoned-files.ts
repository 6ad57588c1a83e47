import type { Clock } from '../infra/clock.js';
import { chunksOf, yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import type { Reader } from '../infra/database/index.js';
import type { Logger } from '../infra/observability/logger.js';
import { type BlobStore, STAGING } from '../infra/storage/blobs.js';
import { emojiFiles } from './emojis/pictures.js';
import { applicationIcons, guildIcons, teamIcons, userAvatars } from './icons.js';
import { interactionFiles } from './interactions/files.js';
import type { KeptFiles } from './kept-files.js';
import { attachmentFiles } from './messages/files/files.js';

export interface FileKeeping {
  read: Reader;
  blobs: BlobStore;
  clock: Clock;
  log: Logger;
}

export const FILE_KINDS: readonly KeptFiles[] = [
  attachmentFiles,
  interactionFiles,
  applicationIcons,
  teamIcons,
  guildIcons,
  userAvatars,
  emojiFiles,
];

/**
 * Minimum age of an abandoned file or partial upload, in milliseconds. Exceeds any request: files are stored before
 * their rows.
 */
const ABANDONED_AFTER_MS = 60 * 60_000;

/** SQLite takes 999 parameters. */
const FILES_PER_QUERY = 400;

/** Maximum number of files of one kind per run. Their keys take a few MiB of memory. */
const FILES_PER_LOOK = 20_000;

/** This many files without a row are removed even if fewer have a row. */
const A_FEW = 50;

/**
 * Removes files without a row, in batches. If most files of a kind have no row, removes none of that kind and logs an
 * error.
 * @throws the reason of `signal` when it is aborted
 */
export async function removeAbandonedFiles(keeping: FileKeeping, signal?: AbortSignal): Promise<void> {
  for await (const key of blobsOf(keeping, STAGING, signal)) {
    if (await isOld(keeping, key)) await keeping.blobs.remove(key);
  }
  for (const kind of FILE_KINDS) {
    // Without any row of this kind, the database may be the wrong one.
    if (!(await kind.knowsAny(keeping.read))) continue;
    const { abandoned, count, kept } = await look(keeping, kind, signal);
    if (count > A_FEW && count > kept) {
      const facts = { folder: kind.folder, withRow: kept, without: count };
      keeping.log.error(
        facts,
        'Most files in this folder have no database row; removing none, because they may belong to another database',
      );
      continue;
    }
    await remove(keeping, kind, abandoned, signal);
    await keeping.blobs.removeEmptyFolders(kind.folder, signal);
  }
}

async function* blobsOf({ blobs }: FileKeeping, folder: string, signal?: AbortSignal): AsyncGenerator<string, void> {
  for await (const key of blobs.list(folder)) {
    signal?.throwIfAborted();
    yield key;
  }
}

interface Found {
  abandoned: string[];
  count: number;
  kept: number;
}

async function look(keeping: FileKeeping, kind: KeptFiles, signal?: AbortSignal): Promise<Found> {
  const found: Found = { abandoned: [], count: 0, kept: 0 };
  for await (const keys of piecesOf(blobsOf(keeping, kind.folder, signal))) {
    const without = await withoutRow(keeping, kind, keys);
    found.kept += keys.length - without.length;
    for (const key of without) {
      if (!(await isOld(keeping, key))) continue;
      found.count += 1;
      if (found.count <= FILES_PER_LOOK) found.abandoned.push(key);
    }
  }
  return found;
}

/** Checks for rows again, because listing the files may have taken long. */
async function remove(keeping: FileKeeping, kind: KeptFiles, abandoned: string[], signal?: AbortSignal): Promise<void> {
  for (const keys of chunksOf(abandoned, FILES_PER_QUERY)) {
    signal?.throwIfAborted();
    for (const key of await withoutRow(keeping, kind, keys)) await keeping.blobs.remove(key);
  }
}

async function* piecesOf(keys: AsyncIterable<string>): AsyncGenerator<string[], void> {
  let piece: string[] = [];
  for await (const key of keys) {
    piece.push(key);
    if (piece.length < FILES_PER_QUERY) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

async function withoutRow({ read }: FileKeeping, kind: KeptFiles, keys: string[]): Promise<string[]> {
  await yieldToEventLoop();
  const kept = new Set(await kind.withRow(read, keys));
  return keys.filter((key) => !kept.has(key));
}

async function isOld({ blobs, clock }: FileKeeping, key: string): Promise<boolean> {
  const writtenAt = await blobs.writtenAt(key);
  return writtenAt !== null && clock.now() - writtenAt > ABANDONED_AFTER_MS;
}
