import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { keyOfMember } from '../../domain/bus-message.js';
import { Permission } from '../../domain/permissions.js';
import { renderEmoji } from '../emojis.js';
import { guildIdField, memberField } from './fields.js';
import type { EventRows } from './row.js';

const ofReaction = {
  topic: 'channel',
  invalidates: [],
  audience: {
    intent: Intent.GuildMessageReactions,
    directIntent: Intent.DirectMessageReactions,
    inChannel: Permission.ViewChannel,
  },
} as const;

export const reactionEvents = {
  MESSAGE_REACTION_ADD: {
    ...ofReaction,
    about: (event) => ({ ...placeOf(event), userId: event.user.id }),
    embeds: ({ member, user, asOf = 0 }) => ({ fields: member ? { [keyOfMember(user.id)]: 'member' } : {}, asOf }),
    render: (event) => ({
      d: {
        user_id: String(event.user.id),
        ...placeFields(event),
        emoji: renderEmoji(event.emoji),
        message_author_id: String(event.messageAuthorId),
        burst: false,
        type: 0,
        ...memberField(event.member, event.user),
      },
    }),
  },
  MESSAGE_REACTION_REMOVE: {
    ...ofReaction,
    about: (event) => event,
    render: (event) => ({
      d: {
        user_id: String(event.userId),
        ...placeFields(event),
        emoji: renderEmoji(event.emoji),
        burst: false,
        type: 0,
      },
    }),
  },
  MESSAGE_REACTION_REMOVE_ALL: {
    ...ofReaction,
    about: (event) => event,
    render: (event) => ({ d: placeFields(event) }),
  },
  MESSAGE_REACTION_REMOVE_EMOJI: {
    ...ofReaction,
    about: (event) => event,
    render: (event) => ({ d: { ...placeFields(event), emoji: renderEmoji(event.emoji) } }),
  },
} satisfies Partial<EventRows>;

interface ReactionPlace {
  guildId: bigint | null;
  channelId: bigint;
  recipientIds?: readonly bigint[];
  messageId: bigint;
}

function placeOf({ guildId, channelId, recipientIds }: ReactionPlace) {
  return { guildId, channelId, recipientIds };
}

function placeFields({ guildId, channelId, messageId }: ReactionPlace) {
  return { channel_id: String(channelId), message_id: String(messageId), ...guildIdField(guildId) };
}
