import {
  type APIDMChannel,
  type APIGuildTextChannel,
  type APIGuildVoiceChannel,
  type ChannelFlags,
  ChannelType,
} from 'discord-api-types/v10';
import type { ChannelDetails, ChannelRecord } from '../domain/channels/index.js';
import type { Channel, User } from '../infra/database/index.js';
import { idOrNull } from './id.js';
import { wireTime } from './time.js';
import { renderUser } from './users.js';

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

/** It has no name of its own: clients show who is in it. */
export type WireDirectChannel = Omit<APIDMChannel, 'name'>;

/** A channel with what somebody who asks for it alone is told: a direct one says who is in it beside them, and has no guild's fields. */
export function renderChannelDetails({
  channel,
  lastMessageId,
  recipients,
}: ChannelDetails): WireChannel | WireDirectChannel {
  return recipients === null
    ? renderChannel(channel, lastMessageId)
    : renderDirectChannel(channel, recipients, lastMessageId);
}

/**
 * A direct channel.
 * @param recipients who is in it beside the one who looks
 */
export function renderDirectChannel(
  { id, lastPinAt }: Pick<Channel, 'id' | 'lastPinAt'>,
  recipients: readonly User[],
  lastMessageId: bigint | null,
): WireDirectChannel {
  return {
    id: String(id),
    type: ChannelType.DM,
    last_message_id: idOrNull(lastMessageId),
    ...(lastPinAt === null ? {} : { last_pin_timestamp: wireTime(lastPinAt) }),
    flags: 0 as ChannelFlags,
    recipients: recipients.map(renderUser),
  };
}
