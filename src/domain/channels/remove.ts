import { drainInBatches } from '../../infra/concurrency/event-loop.js';
import type { ReaderAndWriter } from '../../infra/database/index.js';
import type { BlobStore } from '../../infra/storage/blobs.js';
import { REMOVABLE_ROW, removeRows } from '../messages/remove-rows.js';

/** Blocks other SQLite writers for a few milliseconds. */
const MESSAGES_PER_STATEMENT = 50;

const ROWS_PER_STATEMENT = 200;

/** Does nothing while the channel is reachable. @throws `signal.reason` when aborted */
export async function removeChannel(
  db: ReaderAndWriter,
  blobs: BlobStore,
  id: bigint,
  signal: AbortSignal,
): Promise<void> {
  const isDeleted = { id, guildId: null, recipients: { none: {} } };
  if (!(await db.reader.channel.findFirst({ where: isDeleted, select: { id: true } }))) return;
  await drainInBatches(signal, () => removeSomeMessages(db, blobs, id));
  await drainInBatches(signal, async () => {
    const { count } = await db.writer.slowMode.deleteMany({ where: { channelId: id }, limit: ROWS_PER_STATEMENT });
    return count === ROWS_PER_STATEMENT;
  });
  await db.writer.channel.deleteMany({ where: isDeleted });
}

async function removeSomeMessages(db: ReaderAndWriter, blobs: BlobStore, channelId: bigint): Promise<boolean> {
  const messages = await db.reader.message.findMany({
    where: { channelId },
    orderBy: { id: 'asc' },
    take: MESSAGES_PER_STATEMENT,
    select: REMOVABLE_ROW,
  });
  await removeRows(db, blobs, messages);
  return messages.length === MESSAGES_PER_STATEMENT;
}
