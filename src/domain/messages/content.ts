import type { MessageRecord } from './record.js';

/** Who wrote a message, and whom it mentions. Ids as decimal text, as they travel on the bus. */
export interface Addressees {
  authorId: string;
  mentionedUserIds: readonly string[];
}

/** Who may read a message's content whatever their intents. */
export interface ContentReaders extends Addressees {
  /** The same of the message it answers, where it answers one that is there. */
  reply?: Addressees;
}

/** How much of a message somebody is shown: all, all but what the answered message says, or who, where and when. */
export type ContentShown = 'whole' | 'withoutReply' | 'redacted';

/** Who may read the content of a message in a guild; null for a direct or ephemeral one, which everybody who is shown it may read. */
export function contentReaders(message: MessageRecord): ContentReaders | null {
  if (message.guildId === null || message.visibleToId !== null) return null;
  return {
    ...addresseesOf(message),
    ...(message.referenced ? { reply: addresseesOf(message.referenced) } : {}),
  };
}

/**
 * How much of a message a bot without the message-content intent is shown: what it wrote itself, what mentions it, and direct
 * messages (Discord's documentation, Gateway, Message Content Intent).
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
