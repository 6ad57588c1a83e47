import type { Role, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { findRole } from '../roles/find.js';
import { mayWithRole } from '../roles/operations.js';
import { highestPosition } from '../roles/rank.js';
import type { MemberRecord } from './record.js';
import { loadMemberRow } from './rows.js';

/**
 * Keeps managed roles and `@everyone`. The caller can change only roles below their highest.
 * @param roleIds null to change nothing
 * @returns `member` itself if nothing changes
 * @throws UNKNOWN_ROLE, MISSING_PERMISSIONS
 */
export async function replaceRoles(
  call: CallContext,
  write: Write,
  guild: { id: bigint; ownerId: bigint },
  member: MemberRecord,
  roleIds: bigint[] | null,
): Promise<MemberRecord> {
  if (roleIds === null) return member;
  const { db } = write;
  const change = planChange(member, roleIds, await db.role.findMany({ where: { guildId: guild.id } }));
  if (change.added.length + change.removed.length === 0) return member;
  checkRank([...change.added, ...change.removed], await highestPosition(call, db, guild));
  return applyChange(write, member, change);
}

interface MemberRoleInput {
  guildId: bigint;
  userId: bigint;
  roleId: bigint;
}

/**
 * The role must be below the caller's highest.
 * @throws UNKNOWN_MEMBER, UNKNOWN_ROLE, MISSING_PERMISSIONS and the errors of `accessGuild`
 */
export function addMemberRole(call: CallContext, input: MemberRoleInput): Promise<void> {
  return changeRole(call, input, (role, isHeld) => ({ added: isHeld ? [] : [role], removed: [] }));
}

/** @throws as {@link addMemberRole} does */
export function removeMemberRole(call: CallContext, input: MemberRoleInput): Promise<void> {
  return changeRole(call, input, (role, isHeld) => ({ added: [], removed: isHeld ? [role] : [] }));
}

async function changeRole(
  call: CallContext,
  { guildId, userId, roleId }: MemberRoleInput,
  plan: (role: Role, isHeld: boolean) => RoleChange,
): Promise<void> {
  const { view } = await accessGuild(call, guildId, 'setMemberRoles');
  await call.write(
    async (write) => {
      const member = await loadMemberRow(write.db, guildId, userId);
      if (!member) throw new DomainError('UNKNOWN_MEMBER');
      const role = await findRole(write.db, guildId, roleId);
      if (roleId === guildId) throw new DomainError('UNKNOWN_ROLE');
      checkRank([role], await highestPosition(call, write.db, view));
      const change = plan(
        role,
        member.roles.some((held) => held.roleId === roleId),
      );
      if (change.added.length + change.removed.length === 0) return;
      write.record({ type: 'GUILD_MEMBER_UPDATE', member: await applyChange(write, member, change) });
    },
    { streams: [topics.guild(guildId)] },
  );
}

/** Roles must be assignable and below the caller's highest. @throws UNKNOWN_ROLE, MISSING_PERMISSIONS */
export async function rolesForNewMember(
  call: CallContext,
  db: Transaction,
  guild: { id: bigint; ownerId: bigint },
  roleIds: bigint[],
): Promise<Role[]> {
  if (roleIds.length === 0) return [];
  const added = namedRoles(guild.id, roleIds, await db.role.findMany({ where: { guildId: guild.id } }));
  checkRank(added, await highestPosition(call, db, guild));
  return added;
}

interface RoleChange {
  added: Role[];
  removed: Role[];
}

function planChange(member: MemberRecord, roleIds: bigint[], roles: Role[]): RoleChange {
  const wanted = namedRoles(member.guildId, roleIds, roles);
  const held = new Set(member.roles.map(({ roleId }) => roleId));
  return {
    added: wanted.filter((role) => !held.has(role.id)),
    removed: roles.filter((role) => held.has(role.id) && !wanted.includes(role) && !role.managed),
  };
}

/** Omits `@everyone`, which all members have and libraries list among their roles. @throws UNKNOWN_ROLE */
function namedRoles(guildId: bigint, roleIds: bigint[], roles: Role[]): Role[] {
  const wanted = new Set(roleIds.filter((id) => id !== guildId));
  const named = roles.filter((role) => wanted.has(role.id));
  if (named.length < wanted.size) throw new DomainError('UNKNOWN_ROLE');
  return named;
}

function checkRank(roles: Role[], highest: number): void {
  const isAllowed = roles.every((role) => mayWithRole('assign', role, highest));
  if (!isAllowed) throw missingPermissions();
}

async function applyChange(
  { db, audit }: Write,
  member: MemberRecord,
  { added, removed }: RoleChange,
): Promise<MemberRecord> {
  const { guildId, userId } = member;
  const gone = new Set(removed.map(({ id }) => id));
  if (removed.length > 0) await db.memberRole.deleteMany({ where: { guildId, userId, roleId: { in: [...gone] } } });
  if (added.length > 0) {
    await db.memberRole.createMany({ data: added.map((role) => ({ guildId, userId, roleId: role.id })) });
  }
  const changes = { added: auditRoles(added), removed: auditRoles(removed) };
  await audit({ action: 'MEMBER_ROLE_UPDATE', guildId, targetId: userId, changes });
  const kept = member.roles.filter(({ roleId }) => !gone.has(roleId));
  return { ...member, roles: [...kept, ...added.map(({ id }) => ({ roleId: id }))] };
}

export function auditRoles(roles: Role[]): { id: string; name: string }[] {
  return roles.map((role) => ({ id: String(role.id), name: role.name }));
}
