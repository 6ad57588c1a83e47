import type { Attachment, Message, User } from '../../infra/database/index.js';
import type { MessageInteraction } from './interaction.js';

/** Which message, by its channel and its id. */
export interface MessageKey {
  channelId: bigint;
  messageId: bigint;
}

export interface ReactionCount {
  emoji: string;
  count: number;
  /** Whether the one who looks is among them. */
  me: boolean;
}

/** An attachment with all that its rendering needs. */
export type AttachmentRecord = Omit<Attachment, 'accountId'>;

/** A message with all that its rendering needs. */
export type MessageRecord = Omit<Message, 'interaction'> & {
  author: User;
  attachments: AttachmentRecord[];
  mentionedUsers: User[];
  /** The interaction it answers, if it answers one, and whom that is shown with. */
  interaction: MessageInteraction | null;
  interactionUsers: User[];
  reactions: ReactionCount[];
  guildId: bigint | null;
  /** For a reply: the message it answers, null when that is gone. Undefined for anything but a reply. */
  referenced?: MessageRecord | null;
};
