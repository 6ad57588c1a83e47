import type { Application } from '../../infra/database/index.js';
import type { AuditChanges } from '../audit-log/actions.js';

export function auditedIntegration({ id, name }: Pick<Application, 'id' | 'name'>): AuditChanges['INTEGRATION_CREATE'] {
  return { applicationId: String(id), name };
}
