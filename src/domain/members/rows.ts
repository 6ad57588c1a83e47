import { isMissingRow } from '../../infra/database/faults.js';
import type { Transaction } from '../../infra/database/index.js';
import { keepTimeout, type MemberKey, takeUpTimeout } from './kept-timeouts.js';
import { nickColumns, userNameKeys } from './name-keys.js';
import { type MemberRecord, WITH_USER_AND_ROLES } from './record.js';

export interface NewMember {
  guildId: bigint;
  userId: bigint;
  joinedAt: Date;
  nick?: string | null;
  temporary?: boolean;
  roleIds?: readonly bigint[];
}

/**
 * Restores the user's timeout. The transaction must lock the streams of guild and user.
 * @throws a unique conflict for a member; a missing reference or row for an unknown guild, role or user
 */
export async function insertMember(
  db: Transaction,
  { nick = null, roleIds = [], ...columns }: NewMember,
): Promise<MemberRecord> {
  const { guildId, userId, joinedAt } = columns;
  const user = await db.user.findUniqueOrThrow({ where: { id: userId, deletedAt: null } });
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
 * Keeps the member's timeout. The transaction must lock the guild's stream.
 * @param now milliseconds since the Unix epoch
 * @returns false without a membership
 */
export async function deleteMember(db: Transaction, key: MemberKey, now: number): Promise<boolean> {
  const member = await takeRow(db, key);
  if (!member) return false;
  await count(db, key.guildId, -1);
  await keepTimeout(db, key, member.communicationDisabledUntil, now);
  return true;
}

async function takeRow(db: Transaction, key: MemberKey) {
  const where = { guildId_userId: key };
  try {
    return await db.member.delete({ where, select: { communicationDisabledUntil: true } });
  } catch (error) {
    if (isMissingRow(error)) return null;
    throw error;
  }
}

async function count(db: Transaction, guildId: bigint, more: number): Promise<void> {
  await db.guild.updateMany({ where: { id: guildId }, data: { memberCount: { increment: more } } });
}

/** Omits missing memberships. @param keys 1 to 400, because SQLite takes 999 parameters */
export function loadMemberRows(db: Transaction, keys: readonly MemberKey[]): Promise<MemberRecord[]> {
  const OR = keys.map(({ guildId, userId }) => ({ guildId, userId }));
  return db.member.findMany({ where: { OR }, include: WITH_USER_AND_ROLES });
}

export async function loadMemberRow(db: Transaction, guildId: bigint, userId: bigint): Promise<MemberRecord | null> {
  return db.member.findUnique({ where: { guildId_userId: { guildId, userId } }, include: WITH_USER_AND_ROLES });
}
