import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { renderChannel } from '../channels.js';
import type { EventRows } from './row.js';

export const channelEvents = {
  CHANNEL_CREATE: {
    topic: 'guild',
    about: ({ channel }) => ({ guildId: channel.guildId, channelId: channel.id }),
    invalidates: ['view', 'picture'],
    audience: { intent: Intent.Guilds },
    render: ({ channel }) => ({ d: renderChannel(channel) }),
  },
} satisfies Partial<EventRows>;
