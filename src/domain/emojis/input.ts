import { z } from 'zod';
import { fault, snowflake } from '../input.js';
import { limits } from '../limits.js';

const { min, max } = limits.emojiName;

/** Letters, digits and underscores, since an emoji is written `:name:` in a text. */
export const EmojiName = z
  .string()
  .refine(
    (name) => name.length >= min && name.length <= max,
    fault('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`),
  )
  .refine((name) => /^\w*$/.test(name), fault('STRING_TYPE_REGEX', 'String value did not match validation regex.'))
  .meta({ minLength: min, maxLength: max, pattern: '^\\w+$' });

const roleIds = z.array(snowflake()).max(limits.rolesPerGuild).nullish();

/** An emoji of a guild in a caller's input, beside its picture. `roleIds`: who may use it; none, or not given, for everybody. */
export const NewEmoji = z.object({ name: EmojiName, roleIds });

/** What of an emoji can be changed. What is not given stays; null for the roles lets everybody use it. */
export const EmojiChange = z.object({ name: EmojiName.nullish(), roleIds });

export type EmojiChange = z.output<typeof EmojiChange>;
