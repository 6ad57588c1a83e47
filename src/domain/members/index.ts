export { addMember } from './add.js';

import type { Role } from '../../infra/database/index.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { MemberRecord } from '../events.js';
import { accessGuild } from '../guilds/access.js';
import { Permission } from '../permissions.js';
import { highestPosition } from '../roles/index.js';

export interface SetMemberRolesInput {
  guildId: bigint;
  userId: bigint;
  /** All roles the member is to have. `@everyone` is not named; a managed role the member has stays in any case. */
  roleIds: bigint[];
}

const WITH_USER_AND_ROLES = { user: true, roles: { select: { roleId: true } } } as const;

/**
 * Gives a member exactly these roles. Needs ManageRoles; only roles below the caller's highest can be given or taken.
 * @throws UNKNOWN_MEMBER, UNKNOWN_ROLE, MISSING_PERMISSIONS and what `accessGuild` throws
 */
export async function setMemberRoles(call: CallContext, input: SetMemberRolesInput): Promise<MemberRecord> {
  const { guildId, userId } = input;
  requireUser(call);
  const { view } = await accessGuild(call, guildId, Permission.ManageRoles);
  return call.write(
    async (write) => {
      const where = { guildId_userId: { guildId, userId } };
      const member = await write.db.member.findUnique({ where, include: WITH_USER_AND_ROLES });
      if (!member) throw new DomainError('UNKNOWN_MEMBER', 'Unknown Member');
      const change = planChange(member, input, await write.db.role.findMany({ where: { guildId } }));
      if (change.added.length + change.removed.length === 0) return member;
      checkRank(change, await highestPosition(call, write.db, view));
      return applyChange(write, member, change);
    },
    { serializable: true },
  );
}

interface RoleChange {
  added: Role[];
  removed: Role[];
}

function planChange(member: MemberRecord, { guildId, roleIds }: SetMemberRolesInput, roles: Role[]): RoleChange {
  const assignable = new Map(roles.filter((role) => role.id !== guildId).map((role) => [role.id, role]));
  const wanted = new Set(roleIds);
  for (const id of wanted) if (!assignable.has(id)) throw new DomainError('UNKNOWN_ROLE', 'Unknown Role');
  const held = new Set(member.roles.map(({ roleId }) => roleId));
  const all = [...assignable.values()];
  return {
    added: all.filter((role) => wanted.has(role.id) && !held.has(role.id)),
    removed: all.filter((role) => held.has(role.id) && !wanted.has(role.id) && !role.managed),
  };
}

function checkRank({ added, removed }: RoleChange, highest: number): void {
  const isAllowed = [...added, ...removed].every((role) => !role.managed && role.position < highest);
  if (!isAllowed) throw missingPermissions();
}

async function applyChange(
  { db, record, audit }: Write,
  { guildId, userId }: MemberRecord,
  { added, removed }: RoleChange,
): Promise<MemberRecord> {
  await db.memberRole.deleteMany({ where: { guildId, userId, roleId: { in: removed.map((role) => role.id) } } });
  await db.memberRole.createMany({ data: added.map((role) => ({ guildId, userId, roleId: role.id })) });
  const member = await db.member.findUniqueOrThrow({
    where: { guildId_userId: { guildId, userId } },
    include: WITH_USER_AND_ROLES,
  });
  const named = (roles: Role[]) => roles.map((role) => ({ id: String(role.id), name: role.name }));
  const changes = { added: named(added), removed: named(removed) };
  await audit({ action: 'MEMBER_ROLE_UPDATE', guildId, targetId: userId, changes });
  record({ type: 'GUILD_MEMBER_UPDATE', member });
  return member;
}
