import { drainInBatches } from '../../infra/concurrency/event-loop.js';
import type { ReaderAndWriter, Transaction } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids/ids.js';
import type { BlobStore } from '../../infra/storage/blobs.js';
import { folderOf } from './files.js';

const KEEP_MS = 7 * 24 * 60 * 60_000;

/** Removes interactions without files. @returns how many */
export async function removeOldInteractions(db: Transaction, now: number, limit: number): Promise<number> {
  const where = { id: { lt: snowflakeAt(now - KEEP_MS) }, files: { none: {} } };
  return (await db.interaction.deleteMany({ where, limit })).count;
}

const FILES_PER_PIECE = 200;

/**
 * Also removes the interactions. Files go first, so that a later run can retry.
 * @throws the reason of `signal` when aborted
 */
export async function removeOldInteractionFiles(
  { reader, writer }: ReaderAndWriter,
  blobs: BlobStore,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const where = { interactionId: { lt: snowflakeAt(now - KEEP_MS) } };
  await drainInBatches(signal, async () => {
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
