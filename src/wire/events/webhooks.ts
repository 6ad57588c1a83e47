import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { Permission } from '../../domain/permissions.js';
import type { EventRows } from './row.js';

export const webhookEvents = {
  WEBHOOKS_UPDATE: {
    topic: 'guild',
    about: ({ guildId, channelId }) => ({ guildId, channelId }),
    invalidates: [],
    audience: { intent: Intent.GuildWebhooks, inChannel: Permission.ViewChannel },
    render: ({ guildId, channelId }) => ({ d: { guild_id: String(guildId), channel_id: String(channelId) } }),
  },
} satisfies Partial<EventRows>;
