import type { BlobStore } from '../../infra/blobs.js';
import type { Doors, Transaction } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids.js';
import { untilNoneIsLeft } from '../../infra/turns.js';
import { folderOf } from './files.js';

/** How long an interaction and what became of it can be read, in milliseconds. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/**
 * Removes interactions without files that are older than they are kept, with their steps, as many as `limit` at most.
 * @returns how many
 */
export async function removeOldInteractions(db: Transaction, now: number, limit: number): Promise<number> {
  const where = { id: { lt: snowflakeAt(now - KEEP_MS) }, files: { none: {} } };
  return (await db.interaction.deleteMany({ where, limit })).count;
}

/** Old files whose interactions are removed together. */
const FILES_PER_PIECE = 200;

/**
 * Removes interactions with files that are older than they are kept, in pieces. The files go first: what is left in between has its row,
 * and is removed by the next try.
 * @throws the reason of `signal` when that is aborted
 */
export async function removeOldInteractionFiles(
  { reader, writer }: Doors,
  blobs: BlobStore,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const where = { interactionId: { lt: snowflakeAt(now - KEEP_MS) } };
  await untilNoneIsLeft(signal, async () => {
    const files = await reader.interactionFile.findMany({
      where,
      select: { interactionId: true },
      orderBy: { interactionId: 'asc' },
      take: FILES_PER_PIECE,
    });
    if (files.length === 0) return false;
    const ids = [...new Set(files.map(({ interactionId }) => interactionId))];
    await Promise.all(ids.map((id) => blobs.remove(folderOf(id))));
    await writer.interaction.deleteMany({ where: { id: { in: ids } } });
    return true;
  });
}
