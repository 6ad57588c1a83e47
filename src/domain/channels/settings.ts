import { ChannelType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Channel } from '../../infra/database/index.js';
import { nameText, snowflake, textUpTo } from '../input.js';
import { limits } from '../limits.js';
import { NewOverwrites } from './overwrites.js';

/** The types of a guild's channels. */
export const GUILD_CHANNEL_TYPES = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildCategory,
  ChannelType.GuildAnnouncement,
] as const;

/** Between these a channel can be converted. */
const CONVERTIBLE_TYPES: readonly number[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];

/** A channel's name in a caller's input. It is kept as it is written, without surrounding whitespace (decisions 173). */
const channelName = nameText(limits.channelName.min, limits.channelName.max);

/** What a channel is made of beside its name. Null is the same as nothing where a channel is made. */
const SETTINGS = {
  type: z.literal(GUILD_CHANNEL_TYPES).nullish(),
  topic: textUpTo(limits.channelTopic).nullish(),
  nsfw: z.boolean().nullish(),
  /** Slow mode, in seconds. */
  rateLimitPerUser: z.number().int().min(0).max(limits.slowMode).nullish(),
  /** In bits a second. */
  bitrate: z.number().int().min(limits.bitrate.min).max(limits.bitrate.max).nullish(),
  userLimit: z.number().int().min(0).max(limits.voiceMembers).nullish(),
  position: z.number().int().min(0).max(limits.channelPosition).nullish(),
  parentId: snowflake().nullish(),
  overwrites: NewOverwrites.nullish(),
};

/** A channel in a caller's input. */
export const NewChannel = z.object({ name: channelName, ...SETTINGS });

/**
 * Changes of a channel in a caller's input. What is not given stays; so do type, position and overwrites that are null, while null
 * takes the rest back to what a new channel has.
 */
export const ChannelEdit = z.object({ name: channelName.optional(), ...SETTINGS });

/** Where channels are to stand, in a caller's input: no position, or null, for one that stays where it is. */
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

/** The settings that not every type has. */
type Settings = Pick<Channel, 'topic' | 'nsfw' | 'rateLimitPerUser' | 'bitrate' | 'userLimit'>;
type Setting = keyof Settings;

/** What a new channel has. */
const DEFAULTS: Settings = { topic: null, nsfw: false, rateLimitPerUser: 0, bitrate: 64_000, userLimit: 0 };

/** Which settings the channels of a type have (Discord's documentation, Modify Channel). */
const SETTINGS_OF: Readonly<Record<number, readonly Setting[]>> = {
  [ChannelType.GuildText]: ['topic', 'nsfw', 'rateLimitPerUser'],
  [ChannelType.GuildVoice]: ['nsfw', 'rateLimitPerUser', 'bitrate', 'userLimit'],
  [ChannelType.GuildCategory]: [],
  [ChannelType.GuildAnnouncement]: ['topic', 'nsfw'],
};

/** Whether channels of a type have slow mode. */
export function hasSlowMode(type: number): boolean {
  return SETTINGS_OF[type]?.includes('rateLimitPerUser') ?? false;
}

/** The settings that a channel of this type has, with their names. */
export function settingsOf(channel: Settings & { type: number }): Partial<Settings> {
  return chosen(SETTINGS_OF[channel.type] ?? [], (setting) => channel[setting]);
}

/** What is given of the settings that channels of this type have; others are ignored. */
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

/** Takes what a channel of the new type does not have back to what a new one has. */
export function settingsLost(from: number, to: number): Partial<Settings> {
  const kept = SETTINGS_OF[to] ?? [];
  const lost = (SETTINGS_OF[from] ?? []).filter((setting) => !kept.includes(setting));
  return chosen(lost, (setting) => DEFAULTS[setting]);
}

/** Whether a channel of one type can become one of another. */
export function isConvertible(from: number, to: number): boolean {
  return from === to || (CONVERTIBLE_TYPES.includes(from) && CONVERTIBLE_TYPES.includes(to));
}

/** What {@link isConvertible} allows, for the refusal. */
export const CONVERTIBLE = CONVERTIBLE_TYPES.join(', ');
