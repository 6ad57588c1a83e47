import { Prisma, type Transaction } from '../../infra/database/index.js';
import type { MemberKey } from './kept-timeouts.js';
import { type MemberRecord, WITH_USER_AND_ROLES } from './record.js';

/**
 * Locks memberships until the transaction ends, and omits missing ones. Transactions that change or publish a
 * membership lock it first, so that events follow the order of changes.
 * @param keys 1 to 400, because SQLite takes 999 parameters
 */
export async function lockMembers(db: Transaction, keys: readonly MemberKey[]): Promise<MemberRecord[]> {
  const isAny = keys.map(({ guildId, userId }) => Prisma.sql`("guildId" = ${guildId} AND "userId" = ${userId})`);
  // An update that changes nothing locks the rows in both databases.
  await db.$executeRaw`UPDATE "Member" SET "userId" = "userId" WHERE ${Prisma.join(isAny, ' OR ')}`;
  const OR = keys.map(({ guildId, userId }) => ({ guildId, userId }));
  return db.member.findMany({ where: { OR }, include: WITH_USER_AND_ROLES });
}

export async function lockMember(db: Transaction, guildId: bigint, userId: bigint): Promise<MemberRecord | null> {
  const [member] = await lockMembers(db, [{ guildId, userId }]);
  return member ?? null;
}
