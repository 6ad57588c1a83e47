import {
  type APIDMChannel,
  type APIGuildCategoryChannel,
  type APIGuildVoiceChannel,
  type APINewsChannel,
  type APIOverwrite,
  type APITextChannel,
  type ChannelFlags,
  ChannelType,
} from 'discord-api-types/v10';
import type { ChannelDetails, ChannelRecord } from '../domain/channels/index.js';
import type { Channel, User } from '../infra/database/index.js';
import { idOrNull } from './id.js';
import { wireTime } from './time.js';
import { renderUser } from './users.js';

export type WireChannel = APITextChannel | APINewsChannel | APIGuildVoiceChannel | APIGuildCategoryChannel;

export function renderChannel(channel: ChannelRecord, lastMessageId: bigint | null = null): WireChannel {
  const common = {
    id: String(channel.id),
    ...(channel.guildId === null ? {} : { guild_id: String(channel.guildId) }),
    name: channel.name,
    position: channel.position,
    nsfw: channel.nsfw,
    flags: 0,
    permission_overwrites: channel.overwrites.map(renderOverwrite),
  };
  if (channel.type === ChannelType.GuildCategory) {
    return { ...common, type: ChannelType.GuildCategory, parent_id: null };
  }
  const ofMessages = {
    ...common,
    parent_id: idOrNull(channel.parentId),
    rate_limit_per_user: channel.rateLimitPerUser,
    last_message_id: idOrNull(lastMessageId),
  };
  if (channel.type === ChannelType.GuildVoice) {
    const { bitrate, userLimit } = channel;
    return { ...ofMessages, type: ChannelType.GuildVoice, bitrate, user_limit: userLimit, rtc_region: null };
  }
  return {
    ...ofMessages,
    type: channel.type as ChannelType.GuildText | ChannelType.GuildAnnouncement,
    topic: channel.topic,
    ...(channel.lastPinAt ? { last_pin_timestamp: wireTime(channel.lastPinAt) } : {}),
  } as APITextChannel | APINewsChannel;
}

export function renderOverwrite(overwrite: ChannelRecord['overwrites'][number]): APIOverwrite {
  return {
    id: String(overwrite.targetId),
    type: overwrite.targetType,
    allow: String(overwrite.allow),
    deny: String(overwrite.deny),
  };
}

/** Direct channels have no name, because clients show their recipients. */
export type WireDirectChannel = Omit<APIDMChannel, 'name'>;

export function renderChannelDetails({
  channel,
  lastMessageId,
  recipients,
}: ChannelDetails): WireChannel | WireDirectChannel {
  return recipients === null
    ? renderChannel(channel, lastMessageId)
    : renderDirectChannel(channel, recipients, lastMessageId);
}

/** @param recipients without the user who receives the channel */
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
