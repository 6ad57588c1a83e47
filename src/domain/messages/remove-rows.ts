import type { BlobStore } from '../../infra/blobs.js';
import type { Doors, Prisma } from '../../infra/database/index.js';
import { messageFolder } from './files.js';

/** What {@link removeRows} needs of a message. */
export const REMOVABLE_ROW = {
  id: true,
  channelId: true,
  attachments: { select: { id: true }, take: 1 },
} satisfies Prisma.MessageSelect;

type RemovableRow = Prisma.MessageGetPayload<{ select: typeof REMOVABLE_ROW }>;

/**
 * Removes messages with all that belongs to them, and publishes no event. The files go first: if this fails in between, the rows still lead to
 * the files that are left.
 */
export async function removeRows(
  { writer }: Doors,
  blobs: BlobStore,
  messages: readonly RemovableRow[],
): Promise<void> {
  for (const { id: messageId, channelId, attachments } of messages) {
    if (attachments.length > 0) await blobs.remove(messageFolder({ channelId, messageId }));
  }
  if (messages.length > 0) await writer.message.deleteMany({ where: { id: { in: messages.map(({ id }) => id) } } });
}
