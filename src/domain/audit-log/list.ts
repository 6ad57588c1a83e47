import { z } from 'zod';
import type { AuditEntry } from '../../infra/database/index.js';
import { accessApplication } from '../applications/access.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { snowflake } from '../input.js';
import { accessTeam } from '../teams/access.js';
import { isPortalLogAction, PORTAL_ACTIONS, type PortalLogAction } from './actions.js';
import { type AuditFilter, type AuditPage, readEntries } from './page.js';

export type AuditLog = { teamId: bigint } | { applicationId: bigint };

export type PortalLogEntry = AuditEntry & { action: PortalLogAction };

export const PortalLogFilter = z.object({
  actions: z.array(z.enum(PORTAL_ACTIONS)).nullish(),
  actorId: snowflake().nullish(),
});

/**
 * Ascending by id, or descending if `backwards`. Empty if the caller may not view the log, because invited people can
 * query the team too.
 */
export async function listAuditEntries(
  call: CallContext,
  log: AuditLog,
  query: AuditPage & AuditFilter<PortalLogAction>,
): Promise<PortalLogEntry[]> {
  if (!(await mayView(call, log))) return [];
  const entries = await readEntries(call, log, { ...query, actions: query.actions ?? PORTAL_ACTIONS });
  return entries.filter((entry): entry is PortalLogEntry => isPortalLogAction(entry.action));
}

async function mayView(call: CallContext, log: AuditLog): Promise<boolean> {
  try {
    if ('teamId' in log) await accessTeam(call, log.teamId, 'viewAuditLog');
    else await accessApplication(call, log.applicationId, 'viewAuditLog');
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}
