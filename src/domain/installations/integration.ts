import type { Application } from '../../infra/database/index.js';
import type { AuditChanges } from '../audit-log/actions.js';

/** What a guild's log keeps of an application that is installed there or removed. */
export function auditedIntegration({ id, name }: Pick<Application, 'id' | 'name'>): AuditChanges['INTEGRATION_CREATE'] {
  return { applicationId: String(id), name };
}
