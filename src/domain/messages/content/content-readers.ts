import type { MessageRecord } from '../record.js';

/** Ids are decimal text, as on the event bus. */
export interface Addressees {
  authorId: string;
  mentionedUserIds: readonly string[];
}

/** Users who may read the content without the message-content intent. */
export interface ContentReaders extends Addressees {
  /** Those of the referenced message, if it exists. */
  reply?: Addressees;
}

/** How much a bot receives: everything, everything but the referenced message's content, or no content. */
export type ContentShown = 'whole' | 'withoutReply' | 'redacted';

/** @returns null for a direct or ephemeral message, which every recipient may read */
export function contentReaders(message: MessageRecord): ContentReaders | null {
  if (message.guildId === null || message.visibleToId !== null) return null;
  return {
    ...addresseesOf(message),
    ...(message.referenced ? { reply: addresseesOf(message.referenced) } : {}),
  };
}

/**
 * Without the message-content intent, a bot can read its own messages, those that mention it, and direct messages
 * (Discord's documentation, Gateway, Message Content Intent).
 * @param userId the bot's id as decimal text
 */
export function contentShownTo(userId: string, readers: ContentReaders | null): ContentShown {
  if (readers === null) return 'whole';
  if (!isFor(userId, readers)) return 'redacted';
  return readers.reply === undefined || isFor(userId, readers.reply) ? 'whole' : 'withoutReply';
}

function addresseesOf({ authorId, mentionedUsers }: MessageRecord): Addressees {
  return { authorId: String(authorId), mentionedUserIds: mentionedUsers.map((user) => String(user.id)) };
}

function isFor(userId: string, { authorId, mentionedUserIds }: Addressees): boolean {
  return authorId === userId || mentionedUserIds.includes(userId);
}
