import type { Role } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { mayWithRole } from './operations.js';
import { highestPosition } from './rank.js';

export interface RolePosition {
  roleId: bigint;
  /** 1 is just above `@everyone`; what is beyond either end counts as that end. A role without one is not moved. */
  position?: number | null | undefined;
}

/**
 * Sorts a guild's roles. Needs ManageRoles; only roles below the caller's highest can be moved, and only to below it. The roles
 * that are named get the positions they are given, of which the last counts for a role named twice; the others fill what is
 * left in the order they had (decisions 106). `@everyone` stays the lowest, whatever is said of it.
 * @returns all roles, lowest first
 * @throws UNKNOWN_ROLE, MISSING_PERMISSIONS and what `accessGuild` throws
 */
export async function setRolePositions(
  call: CallContext,
  guildId: bigint,
  positions: readonly RolePosition[],
): Promise<Role[]> {
  const { view } = await accessGuild(call, guildId, 'setRolePositions');
  return call.write(
    async (write) => {
      const everyone = await write.db.role.findUniqueOrThrow({ where: { id: guildId } });
      const others = await write.db.role.findMany({ where: { guildId, id: { not: guildId } } });
      const before = others.sort(byRank);
      const after = sorted(before, placesOf(positions, [everyone, ...before]));
      checkRank(before, after, await highestPosition(call, write.db, view));
      return [everyone, ...(await applyOrder(write, guildId, after))];
    },
    { serializable: true },
  );
}

/** Of roles with equal positions the older one ranks higher, as on the reference platform. */
function byRank(a: Pick<Role, 'id' | 'position'>, b: Pick<Role, 'id' | 'position'>): number {
  return a.position - b.position || (a.id < b.id ? 1 : -1);
}

/** The stated positions by role, without that of `@everyone`. @throws UNKNOWN_ROLE */
function placesOf(positions: readonly RolePosition[], [everyone, ...others]: [Role, ...Role[]]): Map<Role, number> {
  const byId = new Map(others.map((role) => [role.id, role]));
  const places = new Map<Role, number>();
  for (const { roleId, position } of positions) {
    if (roleId === everyone.id) continue;
    const role = byId.get(roleId);
    if (!role) throw new DomainError('UNKNOWN_ROLE');
    if (position !== null && position !== undefined) places.set(role, position);
  }
  return places;
}

/**
 * The new order, lowest first. A position means the place of the role that has it now, so that gaps between positions make no
 * difference.
 */
function sorted(before: Role[], places: ReadonlyMap<Role, number>): Role[] {
  const after = before.filter((role) => !places.has(role));
  const named = [...places].sort(([a, placeOfA], [b, placeOfB]) =>
    byRank({ id: a.id, position: placeOfA }, { id: b.id, position: placeOfB }),
  );
  let next = 0;
  for (const [role, place] of named) {
    const index = before.filter(({ position }) => position <= place).length - 1;
    const free = Math.max(index, next);
    after.splice(free, 0, role);
    next = free + 1;
  }
  return after;
}

/** From the caller's highest role on, nothing may have moved. @throws MISSING_PERMISSIONS */
function checkRank(before: Role[], after: Role[], highest: number): void {
  const isAllowed = before.every((role, index) => mayWithRole('move', role, highest) || after[index] === role);
  if (!isAllowed) throw missingPermissions();
}

/** Numbers the roles from 1 in this order. */
async function applyOrder({ db, record, audit }: Write, guildId: bigint, order: Role[]): Promise<Role[]> {
  const roles: Role[] = [];
  const moved: { id: string; name: string; old: number; new: number }[] = [];
  for (const [index, role] of order.entries()) {
    const position = index + 1;
    roles.push({ ...role, position });
    if (role.position === position) continue;
    moved.push({ id: String(role.id), name: role.name, old: role.position, new: position });
    await db.role.update({ where: { id: role.id }, data: { position } });
    record({ type: 'GUILD_ROLE_UPDATE', role: { ...role, position } });
  }
  if (moved.length > 0) {
    await audit({ action: 'ROLE_POSITIONS_UPDATE', guildId, targetId: guildId, changes: { roles: moved } });
  }
  return roles;
}
