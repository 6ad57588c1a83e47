import type { Role, Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { highestPosition } from '../roles/rank.js';
import { type MemberRecord, WITH_USER_AND_ROLES } from './record.js';

export interface SetMemberRolesInput {
  guildId: bigint;
  userId: bigint;
  /** All roles the member is to have. `@everyone` is not named; a managed role the member has stays in any case. */
  roleIds: bigint[];
}

/**
 * Gives a member exactly these roles. Needs ManageRoles; only roles below the caller's highest can be given or taken.
 * @throws UNKNOWN_MEMBER, UNKNOWN_ROLE, MISSING_PERMISSIONS and what `accessGuild` throws
 */
export async function setMemberRoles(call: CallContext, input: SetMemberRolesInput): Promise<MemberRecord> {
  const { guildId, userId } = input;
  requireUser(call);
  const { view } = await accessGuild(call, guildId, 'setMemberRoles');
  return call.write(
    async (write) => {
      const where = { guildId_userId: { guildId, userId } };
      const member = await write.db.member.findUnique({ where, include: WITH_USER_AND_ROLES });
      if (!member) throw new DomainError('UNKNOWN_MEMBER');
      const change = planChange(member, input, await write.db.role.findMany({ where: { guildId } }));
      if (change.added.length + change.removed.length === 0) return member;
      checkRank([...change.added, ...change.removed], await highestPosition(call, write.db, view));
      return applyChange(write, member, change);
    },
    { serializable: true },
  );
}

/**
 * The roles a new member is to have, which the caller may give: they are below the caller's highest, and none is managed.
 * @throws UNKNOWN_ROLE, MISSING_PERMISSIONS
 */
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

function planChange(member: MemberRecord, { guildId, roleIds }: SetMemberRolesInput, roles: Role[]): RoleChange {
  const wanted = namedRoles(guildId, roleIds, roles);
  const held = new Set(member.roles.map(({ roleId }) => roleId));
  return {
    added: wanted.filter((role) => !held.has(role.id)),
    removed: roles.filter((role) => held.has(role.id) && !wanted.includes(role) && !role.managed),
  };
}

/** Those of a guild's roles that are named, each once. @throws UNKNOWN_ROLE also for `@everyone`, which is not given */
function namedRoles(guildId: bigint, roleIds: bigint[], roles: Role[]): Role[] {
  const wanted = new Set(roleIds);
  const named = roles.filter((role) => role.id !== guildId && wanted.has(role.id));
  if (named.length < wanted.size) throw new DomainError('UNKNOWN_ROLE');
  return named;
}

function checkRank(roles: Role[], highest: number): void {
  const isAllowed = roles.every((role) => !role.managed && role.position < highest);
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
  const changes = { added: auditRoles(added), removed: auditRoles(removed) };
  await audit({ action: 'MEMBER_ROLE_UPDATE', guildId, targetId: userId, changes });
  record({ type: 'GUILD_MEMBER_UPDATE', member });
  return member;
}

/** Roles as an entry of the audit ledger names them. */
export function auditRoles(roles: Role[]): { id: string; name: string }[] {
  return roles.map((role) => ({ id: String(role.id), name: role.name }));
}
