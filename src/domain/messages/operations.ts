import { type ChannelAccess, permissionsIn } from '../channels/access.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import { allows } from '../permissions.js';
import { managesMessages } from './rights.js';
import { isUserMessage } from './user-messages.js';

export const MESSAGE_OPERATIONS = ['react', 'edit', 'delete'] as const;

export type MessageOperation = (typeof MESSAGE_OPERATIONS)[number];

interface Seen {
  authorId: bigint;
  type: number;
  visibleToId: bigint | null;
}

/**
 * `react` means adding a new emoji.
 * @param place the channel, with the user's permissions
 */
export function operationsOn(message: Seen, userId: bigint, place: ChannelAccess): MessageOperation[] {
  if (message.visibleToId !== null) return [];
  const isAuthor = message.authorId === userId;
  const may: Record<MessageOperation, boolean> = {
    react: allows(permissionsIn(place), CHANNEL_OPERATIONS.addReaction | CHANNEL_OPERATIONS.addNewEmoji),
    edit: isAuthor && isUserMessage(message.type),
    delete: isAuthor || managesMessages(place),
  };
  return MESSAGE_OPERATIONS.filter((operation) => may[operation]);
}
