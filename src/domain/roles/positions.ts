import type { Role } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { mayWithRole } from './operations.js';
import { highestPosition } from './rank.js';

export interface RolePosition {
  roleId: bigint;
  /** 1 is just above `@everyone`. Out-of-range values are clamped. Without a position, the role does not move. */
  position?: number | null | undefined;
}

/**
 * Only roles below the caller's highest can move. Omitted roles keep their order. The last position of a repeated role
 * counts. Ignores `@everyone`, which some libraries send.
 * @returns all roles, lowest first
 * @throws UNKNOWN_ROLE, MISSING_PERMISSIONS and the errors of `accessGuild`
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
    { streams: [topics.guild(guildId)] },
  );
}

/** With equal positions, the older role ranks higher, as in Discord. */
function byRank(a: Pick<Role, 'id' | 'position'>, b: Pick<Role, 'id' | 'position'>): number {
  return a.position - b.position || (a.id < b.id ? 1 : -1);
}

/** Omits `@everyone`. @throws UNKNOWN_ROLE */
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

/** Lowest first. A position means the place of the role that has it now, so gaps make no difference. */
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

/** @throws MISSING_PERMISSIONS if a role at or above `highest` moves */
function checkRank(before: Role[], after: Role[], highest: number): void {
  const isAllowed = before.every((role, index) => mayWithRole('move', role, highest) || after[index] === role);
  if (!isAllowed) throw missingPermissions();
}

async function applyOrder({ db, record, audit }: Write, guildId: bigint, order: Role[]): Promise<Role[]> {
  const roles: Role[] = [];
  const moved: { id: string; name: string; old: number; new: number }[] = [];
  for (const [index, role] of order.entries()) {
    const position = index + 1;
    roles.push({ ...role, position });
    if (role.position === position) continue;
    moved.push({ id: String(role.id), name: role.name, old: role.position, new: position });
    await db.role.update({ where: { id: role.id }, data: { position } });
    record({ type: 'GUILD_ROLE_UPDATE', role: { ...role, position }, keepsAccess: true });
  }
  if (moved.length > 0) {
    await audit({ action: 'ROLE_POSITIONS_UPDATE', guildId, targetId: guildId, changes: { roles: moved } });
  }
  return roles;
}
