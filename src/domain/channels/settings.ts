import { ChannelType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Channel } from '../../infra/database/index.js';
import { nameText, snowflake, textUpTo } from '../input.js';
import { limits } from '../limits.js';
import { NewOverwrites } from './overwrites.js';

export const GUILD_CHANNEL_TYPES = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildCategory,
  ChannelType.GuildAnnouncement,
] as const;

const CONVERTIBLE_TYPES: readonly number[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];

/** Unlike on Discord, only surrounding whitespace is removed. */
const channelName = nameText(limits.channelName.min, limits.channelName.max);

/** For a new channel, null means absent. */
const SETTINGS = {
  type: z.literal(GUILD_CHANNEL_TYPES).nullish(),
  topic: textUpTo(limits.channelTopic).nullish(),
  nsfw: z.boolean().nullish(),
  /** Seconds. */
  rateLimitPerUser: z.number().int().min(0).max(limits.slowMode).nullish(),
  /** Bits per second. */
  bitrate: z.number().int().min(limits.bitrate.min).max(limits.bitrate.max).nullish(),
  userLimit: z.number().int().min(0).max(limits.voiceMembers).nullish(),
  position: z.number().int().min(0).max(limits.channelPosition).nullish(),
  parentId: snowflake().nullish(),
  overwrites: NewOverwrites.nullish(),
};

export const NewChannel = z.object({ name: channelName, ...SETTINGS });

/** Absent fields stay. Null keeps `type`, `position` and `overwrites`, and resets other fields to their default. */
export const ChannelEdit = z.object({ name: channelName.optional(), ...SETTINGS });

export const ChannelPositions = z
  .array(
    z.object({
      channelId: snowflake(),
      position: SETTINGS.position,
      parentId: SETTINGS.parentId,
      lockPermissions: z.boolean().nullish(),
    }),
  )
  .max(limits.channelsPerGuild);

type Settings = Pick<Channel, 'topic' | 'nsfw' | 'rateLimitPerUser' | 'bitrate' | 'userLimit'>;
type Setting = keyof Settings;

const DEFAULTS: Settings = { topic: null, nsfw: false, rateLimitPerUser: 0, bitrate: 64_000, userLimit: 0 };

/** Discord's documentation, Modify Channel. */
const SETTINGS_OF: Readonly<Record<number, readonly Setting[]>> = {
  [ChannelType.GuildText]: ['topic', 'nsfw', 'rateLimitPerUser'],
  [ChannelType.GuildVoice]: ['nsfw', 'rateLimitPerUser', 'bitrate', 'userLimit'],
  [ChannelType.GuildCategory]: [],
  [ChannelType.GuildAnnouncement]: ['topic', 'nsfw'],
};

export function hasSlowMode(type: number): boolean {
  return SETTINGS_OF[type]?.includes('rateLimitPerUser') ?? false;
}

export function settingsOf(channel: Settings & { type: number }): Partial<Settings> {
  return chosen(SETTINGS_OF[channel.type] ?? [], (setting) => channel[setting]);
}

/** Ignores settings that the type lacks. Null means the default. */
export function givenSettings(
  type: number,
  given: { [S in Setting]?: Settings[S] | null | undefined },
): Partial<Settings> {
  const names = (SETTINGS_OF[type] ?? []).filter((setting) => given[setting] !== undefined);
  return chosen(names, (setting) => given[setting] || DEFAULTS[setting]);
}

function chosen(names: readonly Setting[], valueIn: (name: Setting) => unknown): Partial<Settings> {
  return Object.fromEntries(names.map((name) => [name, valueIn(name)]));
}

/** Resets settings that the new type lacks. */
export function settingsLost(from: number, to: number): Partial<Settings> {
  const kept = SETTINGS_OF[to] ?? [];
  const lost = (SETTINGS_OF[from] ?? []).filter((setting) => !kept.includes(setting));
  return chosen(lost, (setting) => DEFAULTS[setting]);
}

export function isConvertible(from: number, to: number): boolean {
  return from === to || (CONVERTIBLE_TYPES.includes(from) && CONVERTIBLE_TYPES.includes(to));
}

export const CONVERTIBLE = CONVERTIBLE_TYPES.join(', ');
