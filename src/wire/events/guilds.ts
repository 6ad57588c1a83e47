import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { renderGuildEmoji } from '../emojis.js';
import { renderGuild } from '../guilds.js';
import { renderUnavailableGuild } from '../ready.js';
import type { EventRows } from './row.js';

export const guildEvents = {
  GUILD_CREATED: {
    topic: 'guild',
    about: ({ guildId }) => ({ guildId }),
    invalidates: [],
    audience: null,
  },
  GUILD_UPDATE: {
    topic: 'guild',
    about: ({ guild }) => ({ guildId: guild.id }),
    invalidates: ['view', 'picture', 'home'],
    audience: { intent: Intent.Guilds },
    render: ({ guild }) => ({ d: renderGuild(guild) }),
  },
  GUILD_EMOJIS_UPDATE: {
    topic: 'guild',
    about: ({ guildId }) => ({ guildId }),
    invalidates: ['picture'],
    audience: { intent: Intent.GuildExpressions },
    render: ({ guildId, emojis }) => ({
      d: { guild_id: String(guildId), emojis: emojis.map((emoji) => renderGuildEmoji(emoji)) },
    }),
  },
  GUILD_DELETE: {
    topic: 'guild',
    about: ({ guildId, unavailable }) => ({ guildId, unavailable }),
    invalidates: ['view', 'picture', 'home'],
    audience: { intent: Intent.Guilds, detaches: true },
    render: ({ guildId, unavailable }) => ({
      d: unavailable ? renderUnavailableGuild(guildId) : { id: String(guildId) },
    }),
  },
  GUILD_JOINED: {
    topic: 'user',
    about: ({ userId, guildId }) => ({ userId, guildId }),
    invalidates: [],
    audience: null,
  },
  GUILD_LEFT: {
    topic: 'user',
    about: ({ userId, guildId }) => ({ userId, guildId }),
    invalidates: [],
    audience: null,
  },
} satisfies Partial<EventRows>;
