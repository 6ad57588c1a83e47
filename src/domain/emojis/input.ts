import { z } from 'zod';
import { fault, snowflake } from '../input.js';
import { limits } from '../limits.js';

const { min, max } = limits.emojiName;

/** Only word characters, because message text refers to an emoji as `:name:`. */
export const EmojiName = z
  .string()
  .refine(
    (name) => name.length >= min && name.length <= max,
    fault('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`),
  )
  .refine((name) => /^\w*$/.test(name), fault('STRING_TYPE_REGEX', 'String value did not match validation regex.'))
  .meta({ minLength: min, maxLength: max, pattern: '^\\w+$' });

const roleIds = z.array(snowflake()).max(limits.rolesPerGuild).nullish();

/** Without `roleIds`, every member may use the emoji. */
export const NewEmoji = z.object({ name: EmojiName, roleIds });

/** Omitted fields stay unchanged. Null `roleIds` lets every member use the emoji. */
export const EmojiChange = z.object({ name: EmojiName.nullish(), roleIds });

export type EmojiChange = z.output<typeof EmojiChange>;
