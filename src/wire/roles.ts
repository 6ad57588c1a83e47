import type { APIRole, RoleFlags } from 'discord-api-types/v10';
import type { Role } from '../infra/database/index.js';

export function renderRole(role: Role): APIRole {
  return {
    id: String(role.id),
    name: role.name,
    permissions: String(role.permissions),
    position: role.position,
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    hoist: role.hoist,
    managed: role.managed,
    mentionable: role.mentionable,
    icon: null,
    unicode_emoji: null,
    flags: 0 as RoleFlags,
    ...(role.applicationId === null ? {} : { tags: { bot_id: String(role.applicationId) } }),
  };
}
