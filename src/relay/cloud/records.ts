import { ChannelType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { ChannelRecord } from '../../domain/channels/index.js';
import type { GuildRecord, GuildSnapshot } from '../../domain/guilds/index.js';
import { limits } from '../../domain/limits.js';
import { type MemberRecord, type MemberSummary, nickColumns, userNameKeys } from '../../domain/members/index.js';
import { permissionText } from '../../domain/permissions.js';
import type { VoiceStateRecord } from '../../domain/voice/index.js';
import type { Emoji, Role, User } from '../../infra/database/index.js';
import { snowflake } from '../protocol/ids.js';

/**
 * Schemas of the objects that boxes send, and their records (docs/relay.md, R-27). Unused fields are ignored; all
 * others have size limits.
 */

/** Users' roles, and one for each bot. */
const MAX_ROLES = 2 * limits.rolesPerGuild;
/** Static and animated emojis. */
const MAX_EMOJIS = 2 * limits.emojisPerGuild;
/** UTF-16 units, at most. */
const UNITS_PER_CHARACTER = 2;
/** Larger member counts are reduced to this. */
const MAX_MEMBER_COUNT = 1_000_000;
const MAX_IN_VOICE = 20_000;

const idOrNothing = snowflake.nullish().transform((value) => value ?? null);
const name = z.string().max(200);
const nameOrNothing = name.nullish().transform((value) => value ?? null);
const textUpTo = (characters: number) =>
  z
    .string()
    .max(characters * UNITS_PER_CHARACTER)
    .nullish();
const whole = z
  .number()
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1);
const count = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const roleIds = z.array(snowflake).max(MAX_ROLES);

/** ISO 8601 with an offset. */
const time = z.iso.datetime({ offset: true }).transform((written) => new Date(written));
const timeOrNothing = time.nullish().transform((value) => value ?? null);

export const WireUser = z
  .object({
    id: snowflake,
    username: name,
    global_name: nameOrNothing,
    avatar: nameOrNothing,
    bot: z.boolean().optional(),
  })
  .transform(
    ({ id, username, global_name, avatar, bot = false }): User => ({
      id,
      username,
      handle: null,
      globalName: global_name,
      avatarHash: avatar,
      bot,
      deletedAt: null,
    }),
  );

const memberSummaryFields = {
  nick: nameOrNothing,
  roles: roleIds,
  joined_at: time,
  communication_disabled_until: timeOrNothing,
  deaf: z.boolean().default(false),
  mute: z.boolean().default(false),
};

/** As in a message. */
export const WireMemberSummary = z.object(memberSummaryFields);

export const WireMember = z.object({ ...memberSummaryFields, user: WireUser });

export const WireRole = z.object({
  id: snowflake,
  name,
  permissions: permissionText(),
  position: whole,
  color: count.default(0),
  hoist: z.boolean().default(false),
  managed: z.boolean().default(false),
  mentionable: z.boolean().default(false),
  tags: z.object({ bot_id: snowflake.optional() }).nullish(),
});

const WireEmoji = z.object({
  id: snowflake,
  name,
  roles: roleIds.default([]),
  animated: z.boolean().default(false),
  user: z.object({ id: snowflake }).nullish(),
});

const WireOverwrite = z.object({
  id: snowflake,
  type: z.union([z.literal(0), z.literal(1)]),
  allow: permissionText(),
  deny: permissionText(),
});

const DIRECT: readonly number[] = [ChannelType.DM, ChannelType.GroupDM];

export const WireChannel = z.object({
  id: snowflake,
  guild_id: snowflake.optional(),
  type: count.refine((type) => !DIRECT.includes(type)),
  name,
  topic: textUpTo(limits.channelTopic),
  position: whole.default(0),
  parent_id: idOrNothing,
  nsfw: z.boolean().default(false),
  rate_limit_per_user: count.nullish(),
  bitrate: count.optional(),
  user_limit: count.optional(),
  last_message_id: idOrNothing,
  last_pin_timestamp: timeOrNothing,
  permission_overwrites: z.array(WireOverwrite).max(limits.overwritesPerChannel).default([]),
});

export const WireVoiceState = z.object({
  channel_id: idOrNothing,
  user_id: snowflake,
  session_id: name,
  self_mute: z.boolean(),
  self_deaf: z.boolean(),
  self_video: z.boolean().default(false),
  suppress: z.boolean().default(false),
  member: WireMember.nullish(),
});

/** As in GUILD_UPDATE. */
export const WireGuild = z.object({
  id: snowflake,
  name,
  description: textUpTo(limits.guildDescription),
  icon: nameOrNothing,
  owner_id: snowflake,
  afk_channel_id: idOrNothing,
  afk_timeout: count.default(300),
  system_channel_id: idOrNothing,
  system_channel_flags: count.default(0),
  verification_level: count.default(0),
  default_message_notifications: count.default(0),
  explicit_content_filter: count.default(0),
  preferred_locale: name.default('en-US'),
  roles: z.array(WireRole).max(MAX_ROLES),
  emojis: z.array(WireEmoji).max(MAX_EMOJIS).default([]),
});

const WholeGuild = WireGuild.extend({
  member_count: count.transform((told) => Math.min(told, MAX_MEMBER_COUNT)),
  channels: z.array(WireChannel).max(limits.channelsPerGuild),
  voice_states: z.array(WireVoiceState).max(MAX_IN_VOICE).default([]),
});

export interface PublishedGuild {
  snapshot: GuildSnapshot;
  voiceStates: VoiceStateRecord[];
}

/** @throws ZodError; RangeError for another guild */
export function readGuild(value: unknown, guildId: bigint): PublishedGuild {
  const guild = WholeGuild.parse(value);
  if (guild.id !== guildId) throw new RangeError('the box returned another guild');
  const { channels, voice_states, member_count } = guild;
  if (channels.some(({ guild_id }) => guild_id !== undefined && guild_id !== guildId))
    throw new RangeError('the box returned a channel of another guild');
  return {
    snapshot: {
      guild: guildRecord(guild, member_count),
      channels: channels.map((channel) => channelRecord(channel, guildId)),
      lastMessageIds: new Map(
        channels.flatMap(({ id, last_message_id }) => (last_message_id === null ? [] : [[id, last_message_id]])),
      ),
      memberCount: member_count,
    },
    voiceStates: voice_states.flatMap((state) => voiceStateRecord(state, guildId)),
  };
}

/** @throws ZodError */
export function readMember(value: unknown, guildId: bigint): MemberRecord {
  return memberRecord(WireMember.parse(value), guildId);
}

/** @throws ZodError; RangeError for a duplicate member */
export function readMembers(value: unknown, guildId: bigint, most: number): MemberRecord[] {
  const members = z.array(WireMember).max(most).parse(value);
  if (new Set(members.map(({ user }) => user.id)).size < members.length)
    throw new RangeError('the box returned a member twice');
  return members.map((member) => memberRecord(member, guildId));
}

export function memberSummaryOf({
  guildId: _guild,
  userId: _user,
  user: _,
  roles,
  ...member
}: MemberRecord): MemberSummary {
  return { ...member, roleIds: roles.map(({ roleId }) => roleId) };
}

function guildRecord(guild: z.output<typeof WireGuild>, memberCount: number): GuildRecord {
  return {
    id: guild.id,
    name: guild.name,
    description: guild.description ?? null,
    iconHash: guild.icon,
    ownerId: guild.owner_id,
    afkChannelId: guild.afk_channel_id,
    afkTimeout: guild.afk_timeout,
    systemChannelId: guild.system_channel_id,
    systemChannelFlags: guild.system_channel_flags,
    verificationLevel: guild.verification_level,
    defaultMessageNotifications: guild.default_message_notifications,
    explicitContentFilter: guild.explicit_content_filter,
    preferredLocale: guild.preferred_locale,
    memberCount,
    deletedAt: null,
    roles: guild.roles.map((role) => roleRecord(role, guild.id)),
    emojis: guild.emojis.map((emoji) => emojiRecord(emoji, guild.id)),
  };
}

function roleRecord({ tags, ...role }: z.output<typeof WireRole>, guildId: bigint): Role {
  return { ...role, guildId, applicationId: tags?.bot_id ?? null };
}

/** Creator of an emoji if the box names none. No user has the id 0. */
const NOBODY = 0n;

function emojiRecord({ id, name, animated, roles, user }: z.output<typeof WireEmoji>, guildId: bigint): Emoji {
  const creatorId = user?.id ?? NOBODY;
  return { id, guildId, applicationId: null, name, animated, creatorId, roleIds: roles.map(String) };
}

function channelRecord(channel: z.output<typeof WireChannel>, guildId: bigint): ChannelRecord {
  const { id, type, name, topic, position, nsfw } = channel;
  return {
    id,
    guildId,
    type,
    name,
    topic: topic ?? null,
    position,
    parentId: channel.parent_id,
    nsfw,
    rateLimitPerUser: channel.rate_limit_per_user ?? 0,
    bitrate: channel.bitrate ?? 64_000,
    userLimit: channel.user_limit ?? 0,
    lastPinAt: channel.last_pin_timestamp,
    directKey: null,
    overwrites: channel.permission_overwrites.map((overwrite) => ({
      channelId: id,
      targetId: overwrite.id,
      targetType: overwrite.type,
      allow: overwrite.allow,
      deny: overwrite.deny,
    })),
  };
}

function memberRecord({ user, roles, ...member }: z.output<typeof WireMember>, guildId: bigint): MemberRecord {
  return {
    guildId,
    userId: user.id,
    user,
    ...userNameKeys(user),
    ...nickColumns(member.nick),
    joinedAt: member.joined_at,
    communicationDisabledUntil: member.communication_disabled_until,
    mute: member.mute,
    deaf: member.deaf,
    temporary: false,
    awayMessage: null,
    awaySince: null,
    roles: roles.map((roleId) => ({ roleId })),
  };
}

/** Empty without a matching member, because only members can be in voice. */
function voiceStateRecord(state: z.output<typeof WireVoiceState>, guildId: bigint): VoiceStateRecord[] {
  const { user_id: userId, member } = state;
  if (!member || member.user.id !== userId || state.channel_id === null) return [];
  return [
    {
      guildId,
      userId,
      channelId: state.channel_id,
      sessionId: state.session_id,
      selfMute: state.self_mute,
      selfDeaf: state.self_deaf,
      selfVideo: state.self_video,
      suppress: state.suppress,
      member: memberRecord(member, guildId),
    },
  ];
}
