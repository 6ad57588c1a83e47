import type { Prisma, ReaderAndWriter } from '../../infra/database/index.js';
import type { BlobStore } from '../../infra/storage/blobs.js';
import { foldersOf, STORED_ATTACHMENT } from './files/files.js';

export const REMOVABLE_ROW = {
  id: true,
  channelId: true,
  attachments: { select: STORED_ATTACHMENT },
} satisfies Prisma.MessageSelect;

type RemovableRow = Prisma.MessageGetPayload<{ select: typeof REMOVABLE_ROW }>;

/** Publishes no events. Removes files first: if a later step fails, the rows still lead to the remaining files. */
export async function removeRows(
  { writer }: ReaderAndWriter,
  blobs: BlobStore,
  messages: readonly RemovableRow[],
): Promise<void> {
  for (const { channelId, attachments } of messages) {
    for (const folder of foldersOf(channelId, attachments)) await blobs.remove(folder);
  }
  if (messages.length > 0) await writer.message.deleteMany({ where: { id: { in: messages.map(({ id }) => id) } } });
}
