import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import type { Role } from '../../infra/database/index.js';
import { renderRole } from '../roles.js';
import type { EventRows } from './row.js';

const ofRole = {
  topic: 'guild',
  about: ({ role }: { role: Role }) => ({ guildId: role.guildId }),
  invalidates: ['view', 'roles', 'picture'],
  audience: { intent: Intent.Guilds },
  render: ({ role }: { role: Role }) => ({ d: { guild_id: String(role.guildId), role: renderRole(role) } }),
} as const;

export const roleEvents = {
  GUILD_ROLE_CREATE: ofRole,
  GUILD_ROLE_UPDATE: ofRole,
  GUILD_ROLE_DELETE: {
    topic: 'guild',
    about: ({ guildId }) => ({ guildId }),
    // Overwrites of the role have events of their own.
    invalidates: ['view', 'roles', 'picture'],
    audience: { intent: Intent.Guilds },
    render: ({ guildId, roleId }) => ({ d: { guild_id: String(guildId), role_id: String(roleId) } }),
  },
} satisfies Partial<EventRows>;
