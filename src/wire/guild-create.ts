import type { GatewayGuildCreateDispatchData } from 'discord-api-types/v10';
import type { GuildSnapshot } from '../domain/guilds/index.js';
import type { MemberSummary } from '../domain/members/index.js';
import { renderChannel } from './channels.js';
import { renderGuild } from './guilds.js';
import { wireTime } from './time.js';

/** The fields of GUILD_CREATE that depend on the bot or session. */
type OwnFields = 'joined_at' | 'large' | 'members' | 'presences' | 'voice_states';

export function renderGuildCreate(snapshot: GuildSnapshot): Omit<GatewayGuildCreateDispatchData, OwnFields> {
  return {
    ...renderGuild(snapshot.guild),
    unavailable: false,
    member_count: snapshot.memberCount,
    channels: snapshot.channels.map((channel) =>
      renderChannel(channel, snapshot.lastMessageIds.get(channel.id) ?? null),
    ),
    threads: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

export function renderOwnGuildFields(
  own: MemberSummary,
  large: boolean,
): Pick<GatewayGuildCreateDispatchData, 'joined_at' | 'large'> {
  return { joined_at: wireTime(own.joinedAt), large };
}
