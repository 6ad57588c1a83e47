import type { Emoji, Transaction, User } from '../../infra/database/index.js';

/** `creator` is null if the caller may not see it. */
export interface EmojiRecord {
  emoji: Emoji;
  creator: User | null;
}

/** If empty, every member may use the emoji. */
export function rolesOf({ roleIds }: Pick<Emoji, 'roleIds'>): bigint[] {
  return (roleIds as string[]).map(BigInt);
}

/** Oldest first, as in GUILD_EMOJIS_UPDATE. */
export function emojisOf(db: Pick<Transaction, 'emoji'>, guildId: bigint): Promise<Emoji[]> {
  return db.emoji.findMany({ where: { guildId }, orderBy: { id: 'asc' } });
}
