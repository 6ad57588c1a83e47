import { chunksOf, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Role } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { accessGuild } from '../guilds/access.js';
import { limits } from '../limits.js';
import { findRole } from './find.js';

/** Lowest first. @throws the errors of `accessGuild` */
export async function listRoles(call: CallContext, guildId: bigint): Promise<Role[]> {
  await accessGuild(call, guildId, 'viewGuild');
  return call.read.role.findMany({
    where: { guildId },
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
    take: limits.rolesPerGuild,
  });
}

/** @throws UNKNOWN_ROLE and the errors of `accessGuild` */
export async function getRole(call: CallContext, input: { guildId: bigint; roleId: bigint }): Promise<Role> {
  await accessGuild(call, input.guildId, 'viewGuild');
  return findRole(call.read, input.guildId, input.roleId);
}

const COUNTED_PER_TURN = 10;

/** Omits `@everyone`. @throws the errors of `accessGuild` */
export async function countRoleMembers(call: CallContext, guildId: bigint): Promise<Map<bigint, number>> {
  const roles = await listRoles(call, guildId);
  const counts = new Map<bigint, number>(roles.flatMap(({ id }) => (id === guildId ? [] : [[id, 0] as const])));
  for (const ids of chunksOf([...counts.keys()], COUNTED_PER_TURN)) {
    await yieldToEventLoop();
    const where = { roleId: { in: ids } };
    for (const { roleId, _count } of await call.read.memberRole.groupBy({ by: ['roleId'], where, _count: true })) {
      counts.set(roleId, _count);
    }
  }
  return counts;
}
