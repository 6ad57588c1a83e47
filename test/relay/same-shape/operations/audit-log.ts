import { AuditLogEvent } from 'discord-api-types/v10';
import type { Operation } from '../../../harness/twins.js';

const OF_INSTALLS: readonly number[] = [AuditLogEvent.BotAdd, AuditLogEvent.IntegrationCreate];

/** A page of the audit log, except for the entries of installations. */
export const exceptInstalls: NonNullable<Operation['but']> = {
  because:
    "An installation is the cloud's, and who made it is nobody on the box: there the bot itself came (docs/parity.md, Audit log).",
  compare: ({ audit_log_entries: entries, ...page }) => ({
    ...page,
    users: undefined,
    audit_log_entries: entries.filter(({ action_type: type }: { action_type: number }) => !OF_INSTALLS.includes(type)),
  }),
};
