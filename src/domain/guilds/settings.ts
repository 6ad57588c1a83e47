import {
  GuildDefaultMessageNotifications,
  GuildExplicitContentFilter,
  GuildSystemChannelFlags,
  GuildVerificationLevel,
  Locale,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { nameText, snowflake, trimmedText } from '../input.js';
import { limits } from '../limits.js';

/** In seconds (Discord's documentation, Guild Resource). */
const AFK_TIMEOUTS = [60, 300, 900, 1_800, 3_600] as const;

const ALL_SYSTEM_CHANNEL_FLAGS = Object.values(GuildSystemChannelFlags)
  .filter((flag) => typeof flag === 'number')
  .reduce((all, flag) => all | flag, 0);

/**
 * The settings of a guild in a caller's input. What is not given stays as it is; null clears what may be empty, and sets the others back to
 * what a new guild has, but for the name.
 */
export const GuildSettings = z.object({
  name: nameText(limits.guildName.min, limits.guildName.max).nullish(),
  description: trimmedText(0, limits.guildDescription).nullish(),
  afkChannelId: snowflake().nullish(),
  afkTimeout: z.literal(AFK_TIMEOUTS).nullish(),
  systemChannelId: snowflake().nullish(),
  systemChannelFlags: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .transform((flags) => flags & ALL_SYSTEM_CHANNEL_FLAGS)
    .nullish(),
  verificationLevel: z.enum(GuildVerificationLevel).nullish(),
  defaultMessageNotifications: z.enum(GuildDefaultMessageNotifications).nullish(),
  explicitContentFilter: z.enum(GuildExplicitContentFilter).nullish(),
  preferredLocale: z.enum(Locale).nullish(),
});

export type GuildSettings = z.output<typeof GuildSettings>;
