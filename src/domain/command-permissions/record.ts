import type { ApplicationCommandPermissionType } from 'discord-api-types/v10';
import type { CommandPermission, Prisma } from '../../infra/database/index.js';

/** What is said of one target. It has the wire's type: a role, a user or a channel. */
export type PermissionEntry = Pick<CommandPermission, 'targetId' | 'allow'> & {
  targetType: ApplicationCommandPermissionType;
};

/** Whose permissions in which guild. `commandId` is the application's id where they are for all of its commands. */
export type PermissionsKey = Pick<CommandPermission, 'guildId' | 'applicationId' | 'commandId'>;

/** A whole list with all that its rendering needs. */
export interface CommandPermissions extends PermissionsKey {
  /** In the order of {@link BY_TARGET}. */
  entries: PermissionEntry[];
}

export const BY_TARGET = [
  { targetType: 'asc' },
  { targetId: 'asc' },
] satisfies Prisma.CommandPermissionOrderByWithRelationInput[];

/** Rows as entries: their types were put there by the verb. */
export function permissionEntries(rows: CommandPermission[]): PermissionEntry[] {
  return rows.map(({ targetId, targetType, allow }) => ({ targetId, targetType, allow }));
}

/** The role that stands for everybody, whose id is the guild's. */
export function everyone(guildId: bigint): bigint {
  return guildId;
}

/** The id that stands for all channels of a guild (Discord's documentation, Application Commands). */
export function allChannels(guildId: bigint): bigint {
  return guildId - 1n;
}

/** What a list says of a target; undefined for nothing. */
export function saidOf(
  entries: readonly PermissionEntry[],
  targetType: ApplicationCommandPermissionType,
  targetId: bigint,
): boolean | undefined {
  return entries.find((entry) => entry.targetType === targetType && entry.targetId === targetId)?.allow;
}

/** Whose installations an interaction rests on, as its `authorizing_integration_owners` tells. */
export interface IntegrationOwners {
  guildId?: bigint;
  userId?: bigint;
}
