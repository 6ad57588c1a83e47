import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { Permission } from '../../domain/permissions.js';
import { renderAuditLogEntry } from '../audit-log.js';
import type { EventRows } from './row.js';

export const auditLogEvents = {
  GUILD_AUDIT_LOG_ENTRY_CREATE: {
    topic: 'guild',
    about: ({ entry }) => ({ guildId: entry.guildId }),
    // A portal page shows the guild's log.
    invalidates: ['portal'],
    audience: { intent: Intent.GuildModeration, anyInGuild: Permission.ViewAuditLog },
    render: ({ entry }) => ({ d: { ...renderAuditLogEntry(entry), guild_id: String(entry.guildId) } }),
  },
} satisfies Partial<EventRows>;
