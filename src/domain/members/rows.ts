import { isMissingRow } from '../../infra/database/faults.js';
import type { Transaction } from '../../infra/database/index.js';
import { keepTimeout, type MemberKey, takeUpTimeout } from './kept-timeouts.js';
import { nickColumns, userNameKeys } from './name-keys.js';
import { type MemberRecord, WITH_USER_AND_ROLES } from './record.js';

/** A new membership. */
export interface NewMember {
  guildId: bigint;
  userId: bigint;
  joinedAt: Date;
  nick?: string | null;
  temporary?: boolean;
  roleIds?: readonly bigint[];
}

/**
 * Stores a membership, with the names it is found by and the timeout the user left with, and counts it. The transaction has to be
 * serializable: of a change of the user's names, or a leaving, at the same time, one sees the other.
 * @throws a unique conflict for somebody who is a member, a missing reference where there is no such guild or role, a missing row where
 *   there is no such user
 */
export async function insertMember(
  db: Transaction,
  { nick = null, roleIds = [], ...columns }: NewMember,
): Promise<MemberRecord> {
  const { guildId, userId, joinedAt } = columns;
  const user = await db.user.findUniqueOrThrow({ where: { id: userId } });
  const communicationDisabledUntil = await takeUpTimeout(db, { guildId, userId }, joinedAt.getTime());
  const member = await db.member.create({
    data: {
      ...columns,
      communicationDisabledUntil,
      ...userNameKeys(user),
      ...nickColumns(nick),
      roles: { create: roleIds.map((roleId) => ({ roleId })) },
    },
    include: WITH_USER_AND_ROLES,
  });
  await count(db, guildId, 1);
  return member;
}

/**
 * Removes somebody's membership of a guild, and keeps a timeout that is not over. A joining at the same time, whose transaction is
 * serializable, does not miss it: both change the guild's count.
 * @param now milliseconds since the Unix epoch
 * @returns whether they had one
 */
export async function deleteMember(db: Transaction, key: MemberKey, now: number): Promise<boolean> {
  const member = await takeRow(db, key);
  if (!member) return false;
  await count(db, key.guildId, -1);
  await keepTimeout(db, key, member.communicationDisabledUntil, now);
  return true;
}

/** Removes a row by one statement that tells what of it is still needed; null where there is none. */
async function takeRow(db: Transaction, key: MemberKey) {
  const where = { guildId_userId: key };
  try {
    return await db.member.delete({ where, select: { communicationDisabledUntil: true } });
  } catch (error) {
    if (isMissingRow(error)) return null;
    throw error;
  }
}

/** Removes all memberships of a user who will have none again. The transaction has to be serializable: a joining at the same time would not be counted. */
export async function deleteAllMemberships(db: Transaction, userId: bigint): Promise<void> {
  // Begins at the user's memberships: a condition on `Guild` would look at every guild of the instance.
  await db.$executeRaw`
    UPDATE "Guild" SET "memberCount" = "memberCount" - 1
    WHERE "id" IN (SELECT "guildId" FROM "Member" WHERE "userId" = ${userId})`;
  await db.member.deleteMany({ where: { userId } });
}

async function count(db: Transaction, guildId: bigint, more: number): Promise<void> {
  await db.guild.updateMany({ where: { id: guildId }, data: { memberCount: { increment: more } } });
}
