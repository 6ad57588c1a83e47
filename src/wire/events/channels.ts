import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import type { GuildChannelDetails } from '../../domain/channels/index.js';
import { Permission } from '../../domain/permissions.js';
import { renderChannel } from '../channels.js';
import { wireTime } from '../time.js';
import { guildIdField } from './fields.js';
import type { EventRows } from './row.js';

/** As on the reference platform, all bots of the guild receive it, even for channels that they cannot view. */
const ofChannel = {
  topic: 'guild',
  about: ({ channel }: Pick<GuildChannelDetails, 'channel'>) => ({ guildId: channel.guildId, channelId: channel.id }),
  invalidates: ['view', 'picture'],
  audience: { intent: Intent.Guilds },
} as const;

const whole = ({ channel, lastMessageId }: GuildChannelDetails) => ({ d: renderChannel(channel, lastMessageId) });

export const channelEvents = {
  CHANNEL_CREATE: { ...ofChannel, render: ({ channel }) => ({ d: renderChannel(channel) }) },
  CHANNEL_UPDATE: { ...ofChannel, render: whole },
  CHANNEL_DELETE: { ...ofChannel, render: whole },
  CHANNEL_PINS_UPDATE: {
    topic: 'channel',
    about: ({ guildId, channelId, recipientIds }) => ({ guildId, channelId, recipientIds }),
    invalidates: ['picture'],
    audience: { intent: Intent.Guilds, directIntent: Intent.DirectMessages, inChannel: Permission.ViewChannel },
    render: ({ guildId, channelId, lastPinAt }) => ({
      d: {
        channel_id: String(channelId),
        ...guildIdField(guildId),
        last_pin_timestamp: lastPinAt && wireTime(lastPinAt),
      },
    }),
  },
} satisfies Partial<EventRows>;
