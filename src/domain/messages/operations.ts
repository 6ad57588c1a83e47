import { type Place, permissionsIn } from '../channels/place.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import { allows } from '../permissions.js';
import { isSpoken } from './kinds.js';
import { managesMessages } from './rights.js';

/** What people do with a message that they see. */
export const MESSAGE_OPERATIONS = ['react', 'edit', 'delete'] as const;

export type MessageOperation = (typeof MESSAGE_OPERATIONS)[number];

interface Seen {
  authorId: bigint;
  type: number;
  visibleToId: bigint | null;
}

/**
 * What somebody may do with a message that they see: react with an emoji that nobody reacted with yet, change what it says, and remove it.
 * Nobody does anything with one that is theirs alone to see.
 * @param place its channel, as they see it
 */
export function operationsOn(message: Seen, userId: bigint, place: Place): MessageOperation[] {
  if (message.visibleToId !== null) return [];
  const isAuthor = message.authorId === userId;
  const may: Record<MessageOperation, boolean> = {
    react: allows(permissionsIn(place), CHANNEL_OPERATIONS.addReaction | CHANNEL_OPERATIONS.addNewEmoji),
    edit: isAuthor && isSpoken(message.type),
    delete: isAuthor || managesMessages(place),
  };
  return MESSAGE_OPERATIONS.filter((operation) => may[operation]);
}
