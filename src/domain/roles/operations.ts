import type { Role } from '../../infra/database/index.js';
import { type GuildOperation, neededInGuild } from '../guild-operations.js';
import { allows } from '../permissions.js';

/** What people do with a role: change it, rank it otherwise, give and take it, and remove it. */
export const ROLE_OPERATIONS = ['update', 'move', 'assign', 'delete'] as const;

export type RoleOperation = (typeof ROLE_OPERATIONS)[number];

const NEEDED: Record<RoleOperation, GuildOperation> = {
  update: 'updateRole',
  move: 'setRolePositions',
  assign: 'setMemberRoles',
  delete: 'deleteRole',
};

type RankedRole = Pick<Role, 'id' | 'guildId' | 'managed' | 'position'>;

/**
 * Whether somebody may do it with a role who has the permission for it. `@everyone` stays where it is, and everybody's; what belongs to an
 * installation comes and goes with that.
 * @param highest the position below which they may change roles
 */
export function mayWithRole(operation: RoleOperation, role: RankedRole, highest: number): boolean {
  const isBelow = role.position < highest;
  const isEveryone = role.id === role.guildId;
  const isFree = !isEveryone && !role.managed;
  const may: Record<RoleOperation, boolean> = { update: true, move: !isEveryone, assign: isFree, delete: isFree };
  return isBelow && may[operation];
}

/** What somebody may do with a role, by what they may do in its guild and the position below which they may change roles. */
export function operationsOnRole(
  role: RankedRole,
  { permissions, highest }: { permissions: bigint; highest: number },
): RoleOperation[] {
  return ROLE_OPERATIONS.filter(
    (operation) => allows(permissions, neededInGuild([NEEDED[operation]])) && mayWithRole(operation, role, highest),
  );
}
