import { type BlobStore, STAGING } from '../infra/blobs.js';
import type { Clock } from '../infra/clock.js';
import type { Reader } from '../infra/database/index.js';
import type { Logger } from '../infra/logger.js';
import { inPieces, nextTurn } from '../infra/turns.js';
import { emojiFiles } from './emojis/pictures.js';
import { applicationIcons, guildIcons, teamIcons, userAvatars } from './icons.js';
import { interactionFiles } from './interactions/files.js';
import type { KeptFiles } from './kept-files.js';
import { attachmentFiles } from './messages/files.js';

/** What looking for abandoned files takes. */
export interface FileKeeping {
  read: Reader;
  blobs: BlobStore;
  clock: Clock;
  log: Logger;
}

const KINDS: readonly KeptFiles[] = [
  attachmentFiles,
  interactionFiles,
  applicationIcons,
  teamIcons,
  guildIcons,
  userAvatars,
  emojiFiles,
];

/**
 * A file without a row is abandoned when it is this old, in milliseconds: many times what a request may take, since a file is in its
 * place before its row is. The same for what is being received.
 */
const ABANDONED_AFTER_MS = 60 * 60_000;

/** Files whose rows are looked for with one query: SQLite takes 999 parameters. */
const FILES_PER_QUERY = 400;

/**
 * Files of one kind that a look remembers, and so removes, at most: what is left is found by the next. Their keys take a few MiB.
 */
const FILES_PER_LOOK = 20_000;

/** So many may have no row, however few have one. */
const A_FEW = 50;

/**
 * Looks through all files, in pieces. What has a row is never removed, and what is young is not either. Where more files are without a
 * row than have one, all of the kind stay, and the log says so.
 * @throws the reason of `signal` when that is aborted
 */
export async function removeAbandonedFiles(keeping: FileKeeping, signal?: AbortSignal): Promise<void> {
  for await (const key of blobsOf(keeping, STAGING, signal)) {
    if (await isOld(keeping, key)) await keeping.blobs.remove(key);
  }
  for (const kind of KINDS) {
    // A database that knows no file may be another one than that of these files: nothing is to be lost by a wrong setting.
    if (!(await kind.knowsAny(keeping.read))) continue;
    const { abandoned, count, kept } = await look(keeping, kind, signal);
    if (count > A_FEW && count > kept) {
      const facts = { folder: kind.folder, withRow: kept, without: count };
      keeping.log.error(facts, 'most files have no row: none is removed, since they may be those of another database');
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

/** What a look through the files of one kind has found. */
interface Found {
  /** Old files without a row, {@link FILES_PER_LOOK} of them at most. */
  abandoned: string[];
  /** How many such files there are. */
  count: number;
  /** How many files have a row. */
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

/** Looks for the rows once more: the look through all files may have taken long. */
async function remove(keeping: FileKeeping, kind: KeptFiles, abandoned: string[], signal?: AbortSignal): Promise<void> {
  for (const keys of inPieces(abandoned, FILES_PER_QUERY)) {
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
  await nextTurn();
  const kept = new Set(await kind.withRow(read, keys));
  return keys.filter((key) => !kept.has(key));
}

async function isOld({ blobs, clock }: FileKeeping, key: string): Promise<boolean> {
  const writtenAt = await blobs.writtenAt(key);
  return writtenAt !== null && clock.now() - writtenAt > ABANDONED_AFTER_MS;
}
