import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import type { ChannelRecord } from '../../domain/channels/index.js';
import { Permission } from '../../domain/permissions.js';
import { renderChannel } from '../channels.js';
import { wireTime } from '../time.js';
import { guildIdField } from './fields.js';
import type { EventRows } from './row.js';

const ofChannel = {
  topic: 'guild',
  about: ({ channel }: { channel: ChannelRecord & { guildId: bigint } }) => ({
    guildId: channel.guildId,
    channelId: channel.id,
  }),
  invalidates: ['view', 'picture'],
  audience: { intent: Intent.Guilds },
  render: ({ channel }: { channel: ChannelRecord }) => ({ d: renderChannel(channel) }),
} as const;

export const channelEvents = {
  CHANNEL_CREATE: ofChannel,
  CHANNEL_UPDATE: ofChannel,
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
