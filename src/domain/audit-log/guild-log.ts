import type { AuditEntry } from '../../infra/database/index.js';
import { type GuildLogAction, isGuildLogAction } from './actions.js';

export type GuildLogEntry = AuditEntry & { action: GuildLogAction; guildId: bigint };

export function isGuildLogEntry(entry: AuditEntry): entry is GuildLogEntry {
  return entry.guildId !== null && isGuildLogAction(entry.action);
}
