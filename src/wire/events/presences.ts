import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { keyOfPresence } from '../../domain/bus-message.js';
import { renderPresence } from '../presences.js';
import type { EventRows } from './row.js';

export const presenceEvents = {
  PRESENCE_UPDATE: {
    topic: 'guild',
    about: ({ guildId, presence }) => ({ guildId, userId: presence.userId }),
    invalidates: ['live'],
    // A bot knows its own presence.
    audience: { intent: Intent.GuildPresences, ownBot: 'never' },
    state: ({ presence, clock }) => ({ key: keyOfPresence(presence.userId), clock }),
    render: ({ guildId, presence }) => ({ d: { ...renderPresence(presence), guild_id: String(guildId) } }),
  },
} satisfies Partial<EventRows>;
