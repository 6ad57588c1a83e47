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

function orDefault<Setting extends z.ZodType>(setting: Setting, initial: z.output<Setting>) {
  return setting.nullish().transform((given) => (given === null ? initial : given));
}

/**
 * Omitted settings stay unchanged. Null clears a nullable setting, keeps the name, and resets others to the defaults of
 * a new guild.
 */
export const GuildSettings = z.object({
  name: nameText(limits.guildName.min, limits.guildName.max)
    .nullish()
    .transform((name) => name ?? undefined),
  description: trimmedText(0, limits.guildDescription)
    .nullish()
    .transform((description) => (description === '' ? null : description)),
  afkChannelId: snowflake().nullish(),
  afkTimeout: orDefault(z.literal(AFK_TIMEOUTS), 300),
  systemChannelId: snowflake().nullish(),
  systemChannelFlags: orDefault(
    z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .transform((flags) => flags & ALL_SYSTEM_CHANNEL_FLAGS),
    0,
  ),
  verificationLevel: orDefault(z.enum(GuildVerificationLevel), GuildVerificationLevel.None),
  defaultMessageNotifications: orDefault(
    z.enum(GuildDefaultMessageNotifications),
    GuildDefaultMessageNotifications.AllMessages,
  ),
  explicitContentFilter: orDefault(z.enum(GuildExplicitContentFilter), GuildExplicitContentFilter.Disabled),
  preferredLocale: orDefault(z.enum(Locale), Locale.EnglishUS),
});

export type GuildSettings = z.output<typeof GuildSettings>;
