import type { Ban, Transaction, User } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';

/** What a ban is read with to be a `BanRecord`. */
export const WITH_USER = { user: true } as const;

/** A ban with all that its rendering needs. */
export type BanRecord = Ban & { user: User };

/**
 * Nobody becomes a member who is banned. The transaction has to be serializable: of a ban and a joining at once, one sees the other.
 * @throws BANNED
 */
export async function requireNotBanned(db: Transaction, guildId: bigint, userId: bigint): Promise<void> {
  const where = { guildId_userId: { guildId, userId } };
  if (await db.ban.findUnique({ where, select: { userId: true } })) throw new DomainError('BANNED');
}
