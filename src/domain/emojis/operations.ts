import type { Emoji } from '../../infra/database/index.js';
import { GUILD_OPERATIONS } from '../guild-operations.js';
import { allows } from '../permissions.js';

export const EMOJI_OPERATIONS = ['update', 'delete'] as const;

export type EmojiOperation = (typeof EMOJI_OPERATIONS)[number];

interface Standing {
  userId: bigint;
  permissions: bigint;
}

export function mayManageEmoji({ creatorId }: Pick<Emoji, 'creatorId'>, { userId, permissions }: Standing): boolean {
  if (allows(permissions, GUILD_OPERATIONS.manageEmojis)) return true;
  return creatorId === userId && allows(permissions, GUILD_OPERATIONS.createEmoji);
}

export function operationsOnEmoji(emoji: Pick<Emoji, 'creatorId'>, standing: Standing): readonly EmojiOperation[] {
  return mayManageEmoji(emoji, standing) ? EMOJI_OPERATIONS : [];
}
