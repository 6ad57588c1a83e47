import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { keyOfMember } from '../../domain/bus-message.js';
import { Permission } from '../../domain/permissions.js';
import { guildIdField, memberField } from './fields.js';
import type { EventRows } from './row.js';

export const typingEvents = {
  TYPING_START: {
    topic: 'channel',
    about: ({ guildId, channelId, recipientIds, user }) => ({ guildId, channelId, recipientIds, userId: user.id }),
    embeds: ({ member, user, asOf = 0 }) => ({ fields: member ? { [keyOfMember(user.id)]: 'member' } : {}, asOf }),
    invalidates: [],
    audience: {
      intent: Intent.GuildMessageTyping,
      directIntent: Intent.DirectMessageTyping,
      inChannel: Permission.ViewChannel,
    },
    render: ({ guildId, channelId, user, member, startedAt }) => ({
      d: {
        channel_id: String(channelId),
        ...guildIdField(guildId),
        user_id: String(user.id),
        timestamp: Math.floor(startedAt / 1000),
        ...memberField(member, user),
      },
    }),
  },
} satisfies Partial<EventRows>;
