import { ApplicationCommandPermissionType as Target } from 'discord-api-types/v10';
import type { Write } from '../call.js';
import { BY_TARGET, everyone, type PermissionEntry, type PermissionsKey, permissionEntries } from './record.js';

/**
 * Removes a deleted role or channel from every list. Never empties a command's own list, because the application's
 * list, which may allow `@everyone`, would then apply.
 */
export async function removeFromLists(
  { db, record }: Pick<Write, 'db' | 'record'>,
  guildId: bigint,
  { targetType, targetId }: Pick<PermissionEntry, 'targetType' | 'targetId'>,
): Promise<void> {
  const where = { guildId, targetType, targetId };
  const lists = await db.commandPermission.findMany({ where, select: { applicationId: true, commandId: true } });
  if (lists.length === 0) return;
  await db.commandPermission.deleteMany({ where });
  const commandIds = lists.map(({ commandId }) => commandId);
  const findLeft = () =>
    db.commandPermission.findMany({ where: { guildId, commandId: { in: commandIds } }, orderBy: BY_TARGET });
  const kept = new Set((await findLeft()).map(({ commandId }) => commandId));
  const emptied = lists.filter(({ applicationId, commandId }) => commandId !== applicationId && !kept.has(commandId));
  await db.commandPermission.createMany({ data: emptied.map((list) => denyEveryone({ guildId, ...list })) });
  const left = await findLeft();
  for (const list of lists) {
    const entries = permissionEntries(left.filter(({ commandId }) => commandId === list.commandId));
    record({ type: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE', permissions: { guildId, ...list, entries } });
  }
  for (const applicationId of new Set(lists.map((list) => list.applicationId))) {
    record({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
  }
}

function denyEveryone(list: PermissionsKey) {
  return { ...list, targetType: Target.Role, targetId: everyone(list.guildId), allow: false };
}
