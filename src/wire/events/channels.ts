import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import type { ChannelRecord } from '../../domain/channels/index.js';
import { renderChannel } from '../channels.js';
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
} satisfies Partial<EventRows>;
