import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { Permission } from '../../domain/permissions.js';
import type { EventRows } from './row.js';

export const webhookEvents = {
  WEBHOOKS_UPDATE: {
    topic: 'guild',
    // Only the bot of the webhook's application receives it. The bot's user id is the application id.
    about: ({ applicationId, guildId, channelId }) => ({ guildId, channelId, userId: applicationId }),
    invalidates: [],
    audience: { intent: Intent.GuildWebhooks, inChannel: Permission.ViewChannel, ownBot: 'only' },
    render: ({ guildId, channelId }) => ({ d: { guild_id: String(guildId), channel_id: String(channelId) } }),
  },
} satisfies Partial<EventRows>;
