import { type APIExtendedInvite, type APIInvite, GuildNSFWLevel, InviteType } from 'discord-api-types/v10';
import { type InviteDetails, type InviteRecord, maxAgeOf } from '../domain/invites/index.js';
import type { Guild } from '../infra/database/index.js';
import { renderCounts } from './guilds.js';
import { wireTime } from './time.js';
import { renderUser } from './users.js';

/** Includes a field of the reference platform that `discord-api-types` lacks. */
type WireInvite = APIInvite & { guild_id: string };

export function renderInvite(invite: InviteRecord): WireInvite {
  return {
    type: InviteType.Guild,
    code: invite.code,
    guild: renderInviteGuild(invite.guild),
    guild_id: String(invite.guildId),
    channel: { id: String(invite.channelId), type: invite.channel.type, name: invite.channel.name },
    inviter: renderUser(invite.inviter),
    expires_at: invite.expiresAt && wireTime(invite.expiresAt),
  };
}

/** The public form. */
export function renderInviteDetails({ invite, ...counts }: InviteDetails): WireInvite {
  return { ...renderInvite(invite), ...renderCounts(counts) };
}

/** The form for the inviter and for users who manage invites. */
export function renderManagedInvite(invite: InviteRecord): WireInvite & APIExtendedInvite {
  return {
    ...renderInvite(invite),
    uses: invite.uses,
    max_uses: invite.maxUses,
    max_age: maxAgeOf(invite),
    temporary: invite.temporary,
    created_at: wireTime(invite.createdAt),
  };
}

function renderInviteGuild(guild: Guild): NonNullable<APIInvite['guild']> & { nsfw: boolean } {
  return {
    id: String(guild.id),
    name: guild.name,
    splash: null,
    banner: null,
    description: guild.description,
    icon: guild.iconHash,
    features: [],
    verification_level: guild.verificationLevel,
    vanity_url_code: null,
    nsfw_level: GuildNSFWLevel.Default,
    nsfw: false,
    premium_subscription_count: 0,
  };
}
