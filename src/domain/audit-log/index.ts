export { type AuditChanges, type GuildLogAction, readChanges, targetOf } from './actions.js';
export { GuildLogFilter, type GuildLogPage, getGuildLog, listGuildLog } from './guild-list.js';
export type { GuildLogEntry } from './guild-log.js';
export { InstanceLogFilter, listInstanceLog } from './instance-list.js';
export { type AuditLog, listAuditEntries, PortalLogFilter } from './list.js';
export { type LogEntry, nameTargets } from './targets.js';
