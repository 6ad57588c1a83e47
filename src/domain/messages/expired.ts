import { drainInBatches } from '../../infra/concurrency/event-loop.js';
import type { Prisma, ReaderAndWriter } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids/ids.js';
import type { BlobStore } from '../../infra/storage/blobs.js';
import { DAY_MS } from '../expiry.js';
import { REMOVABLE_ROW, removeRows } from './remove-rows.js';

/** Time since the message was sent or last edited. Interactions are kept as long. */
const KEEP_MS = 7 * DAY_MS;

/** In SQLite, a batch blocks other writes for a few milliseconds. */
const MESSAGES_PER_STATEMENT = 50;

/**
 * Publishes no events.
 * @param now milliseconds since the Unix epoch
 * @throws the reason of `signal` when it is aborted
 */
export async function removeOldEphemeralMessages(
  db: ReaderAndWriter,
  blobs: BlobStore,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const keptSince = now - KEEP_MS;
  const kind = { visibleToId: { not: null }, OR: [{ editedAt: null }, { editedAt: { lt: new Date(keptSince) } }] };
  await removeEach(db, blobs, kind, snowflakeAt(keptSince), signal);
}

/**
 * Keeps pinned messages. Publishes no events.
 * @param before a snowflake from the time since which messages are kept
 * @throws the reason of `signal` when it is aborted
 */
export async function removeOldMessages(
  db: ReaderAndWriter,
  blobs: BlobStore,
  before: bigint,
  signal: AbortSignal,
): Promise<void> {
  await removeEach(db, blobs, { pinned: false }, before, signal);
}

async function removeEach(
  db: ReaderAndWriter,
  blobs: BlobStore,
  kind: Prisma.MessageWhereInput,
  before: bigint,
  signal: AbortSignal,
): Promise<void> {
  let after = 0n;
  await drainInBatches(signal, async () => {
    const messages = await db.reader.message.findMany({
      where: { ...kind, id: { gt: after, lt: before } },
      orderBy: { id: 'asc' },
      take: MESSAGES_PER_STATEMENT,
      select: REMOVABLE_ROW,
    });
    await removeRows(db, blobs, messages);
    after = messages.at(-1)?.id ?? after;
    return messages.length === MESSAGES_PER_STATEMENT;
  });
}
