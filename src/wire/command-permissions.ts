import type { APIApplicationCommandPermission, APIGuildApplicationCommandPermissions } from 'discord-api-types/v10';
import type { CommandPermissions, PermissionEntry } from '../domain/command-permissions/index.js';

export function renderCommandPermissions(permissions: CommandPermissions): APIGuildApplicationCommandPermissions {
  return {
    id: String(permissions.commandId),
    application_id: String(permissions.applicationId),
    guild_id: String(permissions.guildId),
    permissions: permissions.entries.map(renderPermissionEntry),
  };
}

export function renderPermissionEntry({
  targetId,
  targetType,
  allow,
}: PermissionEntry): APIApplicationCommandPermission {
  return { id: String(targetId), type: targetType, permission: allow };
}
