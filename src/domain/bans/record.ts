import type { Ban, Transaction, User } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';

export const WITH_USER = { user: true } as const;

export type BanRecord = Ban & { user: User };

/** The transaction must lock the guild's stream. @throws BANNED */
export async function requireNotBanned(db: Transaction, guildId: bigint, userId: bigint): Promise<void> {
  const where = { guildId_userId: { guildId, userId } };
  if (await db.ban.findUnique({ where, select: { userId: true } })) throw new DomainError('BANNED');
}
