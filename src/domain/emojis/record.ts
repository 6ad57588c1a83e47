import type { Emoji, Transaction, User } from '../../infra/database/index.js';

/** An emoji, and who made it where the caller may know; null otherwise. */
export interface EmojiRecord {
  emoji: Emoji;
  creator: User | null;
}

/** Ids of the roles that may use an emoji; none for everybody. */
export function rolesOf({ roleIds }: Pick<Emoji, 'roleIds'>): bigint[] {
  return (roleIds as string[]).map(BigInt);
}

/** A guild's emojis, oldest first, as GUILD_EMOJIS_UPDATE lists them. */
export function emojisOf(db: Pick<Transaction, 'emoji'>, guildId: bigint): Promise<Emoji[]> {
  return db.emoji.findMany({ where: { guildId }, orderBy: { id: 'asc' } });
}
