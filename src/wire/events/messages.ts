import { ChannelType, GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { type ContentForms, type Embedded, keyOfMember, keyOfMessage } from '../../domain/bus-message.js';
import type { MemberSummary } from '../../domain/members/index.js';
import { contentReaders, type MessageRecord } from '../../domain/messages/index.js';
import { Permission } from '../../domain/permissions.js';
import { renderMemberSummary } from '../members.js';
import { messageAs, renderMessage, type WireOptions } from '../messages.js';
import { guildIdField } from './fields.js';
import type { EventRows, Rendering } from './row.js';

interface OfMessage {
  message: MessageRecord;
  member: MemberSummary | null;
  recipientIds?: readonly bigint[];
  asOf?: number;
}

const AUDIENCE = {
  intent: Intent.GuildMessages,
  directIntent: Intent.DirectMessages,
  inChannel: Permission.ViewChannel,
} as const;

const withMessage = {
  topic: 'channel',
  about: ({ message, recipientIds }: OfMessage) => ({
    guildId: guildOf(message),
    channelId: message.channelId,
    recipientIds,
  }),
  audience: AUDIENCE,
  render: renderMessageEvent,
  embeds: ({ message, member, asOf = 0 }: OfMessage): Embedded => ({
    // `asOf` is the guild's clock, which the streams of other messages do not have.
    fields: {
      ...(guildOf(message) !== null && {
        ...(member && { [keyOfMember(message.authorId)]: 'member' }),
        ...(message.referenced && { [keyOfMessage(message.referenced.id)]: 'referenced_message' }),
      }),
    },
    asOf,
  }),
} as const;

export const messageEvents = {
  MESSAGE_CREATE: { ...withMessage, invalidates: ['last-message'] },
  MESSAGE_UPDATE: { ...withMessage, invalidates: [], changes: ({ message }) => [keyOfMessage(message.id)] },
  MESSAGE_DELETE: {
    topic: 'channel',
    about: (event) => event,
    invalidates: ['last-message'],
    changes: ({ messageId }) => [keyOfMessage(messageId)],
    audience: AUDIENCE,
    render: ({ messageId, channelId, guildId }) => ({
      d: { id: String(messageId), channel_id: String(channelId), ...guildIdField(guildId) },
    }),
  },
  MESSAGE_DELETE_BULK: {
    topic: 'guild',
    about: ({ guildId, channelId }) => ({ guildId, channelId }),
    invalidates: ['last-message'],
    changes: ({ messageIds }) => messageIds.map(keyOfMessage),
    audience: { intent: Intent.GuildMessages, inChannel: Permission.ViewChannel },
    render: ({ guildId, channelId, messageIds }) => ({
      d: { ids: messageIds.map(String), channel_id: String(channelId), guild_id: String(guildId) },
    }),
  },
} satisfies Partial<EventRows>;

/** Omits reactions, because they contain `me`, but all recipients share one event. Clients keep cached reactions. */
function renderMessageEvent({ message, member }: OfMessage, options: WireOptions): Rendering {
  const guildId = guildOf(message);
  const d = {
    ...renderMessage(withoutReactions(message), options),
    ...guildIdField(guildId),
    // Libraries recognise an unknown direct channel by this field.
    ...(message.guildId === null ? { channel_type: ChannelType.DM } : {}),
    ...(member && guildId !== null ? { member: renderMemberSummary(member) } : {}),
  };
  return { d, content: contentOf(message, d) };
}

function withoutReactions({ referenced, ...message }: MessageRecord): MessageRecord {
  return {
    ...message,
    reactions: [],
    ...(referenced === undefined ? {} : { referenced: referenced && { ...referenced, reactions: [] } }),
  };
}

/** Null for an ephemeral message, as on the reference platform (Discord's documentation, Gateway Events). */
function guildOf({ guildId, visibleToId }: MessageRecord): bigint | null {
  return visibleToId === null ? guildId : null;
}

function contentOf(message: MessageRecord, d: ReturnType<typeof renderMessage>): ContentForms | undefined {
  const readers = contentReaders(message);
  if (readers === null) return undefined;
  return {
    readers,
    redacted: JSON.stringify(messageAs('redacted', d)),
    ...(readers.reply ? { withoutReply: JSON.stringify(messageAs('withoutReply', d)) } : {}),
  };
}
