import {
  type APIGuild,
  GuildMFALevel,
  GuildNSFWLevel,
  GuildPremiumTier,
  type GuildSystemChannelFlags,
  type Locale,
  type RESTAPIPartialCurrentUserGuild,
} from 'discord-api-types/v10';
import type { GuildRecord } from '../domain/guilds/index.js';
import type { OwnGuild } from '../domain/users/index.js';

import { renderGuildEmoji } from './emojis.js';
import { idOrNull } from './id.js';
import { renderRole } from './roles.js';

/** Includes fields of the reference platform that `discord-api-types` lacks. */
export type WireGuild = APIGuild & { nsfw: boolean; home_header: null };

/** Does not reveal where the guild is hosted. */
export function renderGuild(guild: GuildRecord): WireGuild {
  return {
    id: String(guild.id),
    name: guild.name,
    icon: guild.iconHash,
    home_header: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: guild.description,
    owner_id: String(guild.ownerId),
    application_id: null,
    region: 'local',
    afk_channel_id: idOrNull(guild.afkChannelId),
    afk_timeout: guild.afkTimeout as APIGuild['afk_timeout'],
    verification_level: guild.verificationLevel,
    default_message_notifications: guild.defaultMessageNotifications,
    explicit_content_filter: guild.explicitContentFilter,
    mfa_level: GuildMFALevel.None,
    nsfw: false,
    nsfw_level: GuildNSFWLevel.Default,
    premium_tier: GuildPremiumTier.None,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: guild.preferredLocale as Locale,
    system_channel_id: idOrNull(guild.systemChannelId),
    system_channel_flags: guild.systemChannelFlags as GuildSystemChannelFlags,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    vanity_url_code: null,
    widget_enabled: false,
    widget_channel_id: null,
    max_members: 500_000,
    max_presences: null,
    max_video_channel_users: 25,
    max_stage_video_channel_users: 50,
    features: [],
    emojis: guild.emojis.map((emoji) => renderGuildEmoji(emoji)),
    stickers: [],
    roles: guild.roles.map(renderRole),
    hub_type: null,
    incidents_data: null,
  };
}

export function renderOwnGuild(own: OwnGuild): RESTAPIPartialCurrentUserGuild {
  const { guild, isOwner, permissions } = own;
  return {
    id: String(guild.id),
    name: guild.name,
    icon: guild.iconHash,
    banner: null,
    owner: isOwner,
    permissions: String(permissions),
    features: [],
    ...renderCounts(own),
  };
}

/** Empty if the counts were not requested. */
export function renderCounts({
  memberCount,
  presenceCount,
}: Pick<OwnGuild, 'memberCount' | 'presenceCount'>): Pick<
  RESTAPIPartialCurrentUserGuild,
  'approximate_member_count' | 'approximate_presence_count'
> {
  if (memberCount === null) return {};
  return { approximate_member_count: memberCount, approximate_presence_count: presenceCount ?? 0 };
}
