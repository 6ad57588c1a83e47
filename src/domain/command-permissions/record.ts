import type { ApplicationCommandPermissionType } from 'discord-api-types/v10';
import type { CommandPermission, Prisma } from '../../infra/database/index.js';

export type PermissionEntry = Pick<CommandPermission, 'targetId' | 'allow'> & {
  targetType: ApplicationCommandPermissionType;
};

/** `commandId` is the application's id for the list of all its commands. */
export type PermissionsKey = Pick<CommandPermission, 'guildId' | 'applicationId' | 'commandId'>;

export interface CommandPermissions extends PermissionsKey {
  /** In the order of {@link BY_TARGET}. */
  entries: PermissionEntry[];
}

export const BY_TARGET = [
  { targetType: 'asc' },
  { targetId: 'asc' },
] satisfies Prisma.CommandPermissionOrderByWithRelationInput[];

export function permissionEntries(rows: CommandPermission[]): PermissionEntry[] {
  return rows.map(({ targetId, targetType, allow }) => ({ targetId, targetType, allow }));
}

/** The role `@everyone`. */
export function everyone(guildId: bigint): bigint {
  return guildId;
}

/** Discord's documentation, Application Commands. */
export function allChannels(guildId: bigint): bigint {
  return guildId - 1n;
}

/** Undefined without an entry. */
export function saidOf(
  entries: readonly PermissionEntry[],
  targetType: ApplicationCommandPermissionType,
  targetId: bigint,
): boolean | undefined {
  return entries.find((entry) => entry.targetType === targetType && entry.targetId === targetId)?.allow;
}

/** Wire: `authorizing_integration_owners`. */
export interface IntegrationOwners {
  guildId?: bigint;
  userId?: bigint;
}
