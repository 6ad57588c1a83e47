import type { Write } from '../call.js';
import { BY_TARGET, type PermissionEntry, permissionEntries } from './record.js';

/** Takes what is said of a target that is no more out of all lists of a guild, and tells of each that it was in. */
export async function removeFromLists(
  { db, record }: Pick<Write, 'db' | 'record'>,
  guildId: bigint,
  { targetType, targetId }: Pick<PermissionEntry, 'targetType' | 'targetId'>,
): Promise<void> {
  const where = { guildId, targetType, targetId };
  const lists = await db.commandPermission.findMany({ where, select: { applicationId: true, commandId: true } });
  if (lists.length === 0) return;
  await db.commandPermission.deleteMany({ where });
  const left = await db.commandPermission.findMany({
    where: { guildId, commandId: { in: lists.map(({ commandId }) => commandId) } },
    orderBy: BY_TARGET,
  });
  for (const list of lists) {
    const entries = permissionEntries(left.filter(({ commandId }) => commandId === list.commandId));
    record({ type: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE', permissions: { guildId, ...list, entries } });
  }
  for (const applicationId of new Set(lists.map((list) => list.applicationId))) {
    record({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
  }
}
