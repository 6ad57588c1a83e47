import { Prisma, type Transaction } from '../../infra/database/index.js';
import type { MemberKey } from './kept-timeouts.js';
import { type MemberRecord, WITH_USER_AND_ROLES } from './record.js';

/**
 * Memberships, which stay as they are until the transaction ends; those that are not there are left out. Who changes one, its roles included, or
 * tells of one holds it, so that clients are told of changes in the order in which they were made (decisions 211).
 * @param keys one at least, and 400 at most: SQLite takes 999 parameters
 */
export async function holdMembers(db: Transaction, keys: readonly MemberKey[]): Promise<MemberRecord[]> {
  const isAny = keys.map(({ guildId, userId }) => Prisma.sql`("guildId" = ${guildId} AND "userId" = ${userId})`);
  // A change that changes nothing locks the rows in both databases.
  await db.$executeRaw`UPDATE "Member" SET "userId" = "userId" WHERE ${Prisma.join(isAny, ' OR ')}`;
  const OR = keys.map(({ guildId, userId }) => ({ guildId, userId }));
  return db.member.findMany({ where: { OR }, include: WITH_USER_AND_ROLES });
}

/** One of them; null where it is not there. */
export async function holdMember(db: Transaction, guildId: bigint, userId: bigint): Promise<MemberRecord | null> {
  const [member] = await holdMembers(db, [{ guildId, userId }]);
  return member ?? null;
}
