import type { Attachment, Message, User } from '../../infra/database/index.js';
import type { MessageInteraction } from './interaction.js';

export interface MessageKey {
  channelId: bigint;
  messageId: bigint;
}

export interface ReactionCount {
  emoji: string;
  count: number;
  me: boolean;
}

export type AttachmentRecord = Omit<Attachment, 'accountId' | 'folderId'> & Partial<Pick<Attachment, 'folderId'>>;

export type MessageRecord = Omit<Message, 'interaction'> & {
  author: User;
  attachments: AttachmentRecord[];
  mentionedUsers: User[];
  interaction: MessageInteraction | null;
  interactionUsers: User[];
  reactions: ReactionCount[];
  guildId: bigint | null;
  /** Null if the referenced message was deleted, undefined without a reference. */
  referenced?: MessageRecord | null;
};
