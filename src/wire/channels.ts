import { type APIGuildTextChannel, type APIGuildVoiceChannel, ChannelType } from 'discord-api-types/v10';
import type { ChannelRecord } from '../domain/channels/index.js';
import { idOrNull } from './id.js';

/** The bitrate of a voice channel that was never given another, in bits a second. */
const DEFAULT_BITRATE = 64_000;

export type WireChannel = APIGuildTextChannel<ChannelType.GuildText> | APIGuildVoiceChannel;

/**
 * A guild channel with its overwrites.
 * @param lastMessageId the newest message in it, or null
 */
export function renderChannel(channel: ChannelRecord, lastMessageId: bigint | null = null): WireChannel {
  const common = {
    id: String(channel.id),
    ...(channel.guildId === null ? {} : { guild_id: String(channel.guildId) }),
    name: channel.name,
    position: channel.position,
    parent_id: idOrNull(channel.parentId),
    nsfw: channel.nsfw,
    rate_limit_per_user: channel.rateLimitPerUser,
    last_message_id: idOrNull(lastMessageId),
    flags: 0,
    permission_overwrites: channel.overwrites.map((overwrite) => ({
      id: String(overwrite.targetId),
      type: overwrite.targetType,
      allow: String(overwrite.allow),
      deny: String(overwrite.deny),
    })),
  };
  if (channel.type === ChannelType.GuildVoice) {
    return { ...common, type: ChannelType.GuildVoice, bitrate: DEFAULT_BITRATE, user_limit: 0, rtc_region: null };
  }
  return { ...common, type: channel.type as ChannelType.GuildText, topic: channel.topic };
}
