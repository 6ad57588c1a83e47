import {
  type APIGuild,
  GuildDefaultMessageNotifications,
  GuildExplicitContentFilter,
  GuildMFALevel,
  GuildNSFWLevel,
  GuildPremiumTier,
  type GuildSystemChannelFlags,
  GuildVerificationLevel,
  Locale,
  type RESTAPIPartialCurrentUserGuild,
} from 'discord-api-types/v10';
import type { OwnGuild } from '../domain/users/index.js';
import type { Guild, Role } from '../infra/database/index.js';
import { renderRole } from './roles.js';

/** The reference sends these two with every guild, and its types leave them out. */
export type WireGuild = APIGuild & { nsfw: boolean; home_header: null };

/** A guild with its roles. It carries no sign of where the guild is hosted. */
export function renderGuild(guild: Guild & { roles: Role[] }): WireGuild {
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
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: GuildVerificationLevel.None,
    default_message_notifications: GuildDefaultMessageNotifications.AllMessages,
    explicit_content_filter: GuildExplicitContentFilter.Disabled,
    mfa_level: GuildMFALevel.None,
    nsfw: false,
    nsfw_level: GuildNSFWLevel.Default,
    premium_tier: GuildPremiumTier.None,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: Locale.EnglishUS,
    system_channel_id: null,
    system_channel_flags: 0 as GuildSystemChannelFlags,
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
    emojis: [],
    stickers: [],
    roles: guild.roles.map(renderRole),
    hub_type: null,
    incidents_data: null,
  };
}

/** A guild in the list of a user's own. */
export function renderOwnGuild(own: OwnGuild): RESTAPIPartialCurrentUserGuild {
  const { guild, isOwner, permissions, memberCount, presenceCount } = own;
  return {
    id: String(guild.id),
    name: guild.name,
    icon: guild.iconHash,
    banner: null,
    owner: isOwner,
    permissions: String(permissions),
    features: [],
    ...(memberCount === null
      ? {}
      : { approximate_member_count: memberCount, approximate_presence_count: presenceCount ?? 0 }),
  };
}
