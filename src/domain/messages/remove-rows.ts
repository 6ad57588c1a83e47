import type { Prisma, ReaderAndWriter } from '../../infra/database/index.js';
import type { BlobStore } from '../../infra/storage/blobs.js';
import { messageFolder } from './files/files.js';

export const REMOVABLE_ROW = {
  id: true,
  channelId: true,
  attachments: { select: { id: true }, take: 1 },
} satisfies Prisma.MessageSelect;

type RemovableRow = Prisma.MessageGetPayload<{ select: typeof REMOVABLE_ROW }>;

/** Publishes no events. Removes files first: if a later step fails, the rows still lead to the remaining files. */
export async function removeRows(
  { writer }: ReaderAndWriter,
  blobs: BlobStore,
  messages: readonly RemovableRow[],
): Promise<void> {
  for (const { id: messageId, channelId, attachments } of messages) {
    if (attachments.length > 0) await blobs.remove(messageFolder({ channelId, messageId }));
  }
  if (messages.length > 0) await writer.message.deleteMany({ where: { id: { in: messages.map(({ id }) => id) } } });
}
