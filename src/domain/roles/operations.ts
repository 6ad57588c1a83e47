import type { Role } from '../../infra/database/index.js';
import { type GuildOperation, neededInGuild } from '../guild-operations.js';
import { allows } from '../permissions.js';

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
 * Does not check permissions. A managed role belongs to an installation.
 * @param highest the role must be below this position
 */
export function mayWithRole(operation: RoleOperation, role: RankedRole, highest: number): boolean {
  const isBelow = role.position < highest;
  const isEveryone = role.id === role.guildId;
  const isFree = !isEveryone && !role.managed;
  const may: Record<RoleOperation, boolean> = { update: true, move: !isEveryone, assign: isFree, delete: isFree };
  return isBelow && may[operation];
}

export function operationsOnRole(
  role: RankedRole,
  { permissions, highest }: { permissions: bigint; highest: number },
): RoleOperation[] {
  return ROLE_OPERATIONS.filter(
    (operation) => allows(permissions, neededInGuild([NEEDED[operation]])) && mayWithRole(operation, role, highest),
  );
}
