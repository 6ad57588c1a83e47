import type { APIGuildPreview } from 'discord-api-types/v10';
import type { GuildPreview, Integration } from '../domain/guilds/index.js';
import { storedStrings } from '../infra/database/stored.js';
import { renderGuildEmoji } from './emojis.js';
import { renderUser } from './users.js';

export function renderGuildPreview({
  guild,
  memberCount,
  presenceCount,
}: GuildPreview): APIGuildPreview & { home_header: null } {
  return {
    id: String(guild.id),
    name: guild.name,
    icon: guild.iconHash,
    description: guild.description,
    home_header: null,
    splash: null,
    discovery_splash: null,
    features: [],
    approximate_member_count: memberCount,
    approximate_presence_count: presenceCount,
    emojis: guild.emojis.map((emoji) => renderGuildEmoji(emoji)),
    stickers: [],
  };
}

export function renderIntegration({ id, application, installer, scopes }: Integration) {
  return {
    id: String(id),
    type: 'discord',
    name: application.name,
    account: { id: String(application.id), name: application.name },
    enabled: true,
    application: {
      id: String(application.id),
      name: application.name,
      icon: application.iconHash,
      description: application.description,
      summary: '',
      type: null,
      bot: renderUser(application.bot),
    },
    scopes: storedStrings(scopes),
    user: renderUser(installer),
  };
}
