import type { Prisma, Transaction } from '../../infra/database/index.js';
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
 * Stores a membership, with the names it is found by, and counts it. The transaction has to be serializable: of a change of the user's
 * names at the same time, one sees the other.
 * @throws a unique conflict for somebody who is a member, a missing reference where there is no such guild or role, a missing row where
 *   there is no such user
 */
export async function insertMember(
  db: Transaction,
  { nick = null, roleIds = [], ...columns }: NewMember,
): Promise<MemberRecord> {
  const user = await db.user.findUniqueOrThrow({ where: { id: columns.userId } });
  const member = await db.member.create({
    data: {
      ...columns,
      ...userNameKeys(user),
      ...nickColumns(nick),
      roles: { create: roleIds.map((roleId) => ({ roleId })) },
    },
    include: WITH_USER_AND_ROLES,
  });
  await count(db, { id: columns.guildId }, 1);
  return member;
}

/** Removes somebody's membership of a guild. @returns whether they had one */
export async function deleteMember(
  db: Transaction,
  { guildId, userId }: { guildId: bigint; userId: bigint },
): Promise<boolean> {
  const { count: removed } = await db.member.deleteMany({ where: { guildId, userId } });
  if (removed > 0) await count(db, { id: guildId }, -1);
  return removed > 0;
}

/** Removes all memberships of a user. The transaction has to be serializable: a joining at the same time would not be counted. */
export async function deleteAllMemberships(db: Transaction, userId: bigint): Promise<void> {
  await count(db, { members: { some: { userId } } }, -1);
  await db.member.deleteMany({ where: { userId } });
}

async function count(db: Transaction, where: Prisma.GuildWhereInput, more: number): Promise<void> {
  await db.guild.updateMany({ where, data: { memberCount: { increment: more } } });
}
