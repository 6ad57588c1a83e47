import type { Emoji } from '../../infra/database/index.js';
import { GUILD_OPERATIONS } from '../guild-operations.js';
import { allows } from '../permissions.js';

/** What people do with an emoji: change its name and who may use it, and remove it. */
export const EMOJI_OPERATIONS = ['update', 'delete'] as const;

export type EmojiOperation = (typeof EMOJI_OPERATIONS)[number];

/** Somebody in a guild. */
interface Standing {
  userId: bigint;
  permissions: bigint;
}

/** Whether somebody may change an emoji of a guild: any with ManageGuildExpressions, one of their own with CreateGuildExpressions. */
export function mayManageEmoji({ creatorId }: Pick<Emoji, 'creatorId'>, { userId, permissions }: Standing): boolean {
  if (allows(permissions, GUILD_OPERATIONS.manageEmojis)) return true;
  return creatorId === userId && allows(permissions, GUILD_OPERATIONS.createEmoji);
}

/** What somebody may do with an emoji of a guild. */
export function operationsOnEmoji(emoji: Pick<Emoji, 'creatorId'>, standing: Standing): readonly EmojiOperation[] {
  return mayManageEmoji(emoji, standing) ? EMOJI_OPERATIONS : [];
}
