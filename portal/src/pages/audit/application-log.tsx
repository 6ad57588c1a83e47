import { useNavigate, useSearch } from '@tanstack/react-router';
import { ApplicationChangedDocument } from '../../gql/applications/layout.js';
import { ApplicationLogDocument } from '../../gql/audit/audit.js';
import type { ApplicationChangedSubscription, ApplicationLogQuery } from '../../gql/types.js';
import { useTitle } from '../../ui/page.js';
import { useApplication } from '../applications/application.js';
import { AuditLog } from './log.js';
import type { LogSource } from './use-log.js';
import { GROUPS } from './words.js';

const SOURCE: LogSource<ApplicationLogQuery, ApplicationChangedSubscription> = {
  document: ApplicationLogDocument,
  pageIn: ({ application }) => application?.auditLog,
  told: ApplicationChangedDocument,
};

const NOBODY = [] as const;

/** Who did what with an application. */
export function ApplicationLog() {
  const { id, name } = useApplication();
  const search = useSearch({ from: '/frame/applications/$applicationId/audit' });
  const navigate = useNavigate();
  useTitle('Audit log', name);
  return (
    <AuditLog
      source={SOURCE}
      id={id}
      groups={GROUPS.application}
      people={NOBODY}
      search={search}
      onSearch={(next) => void navigate({ to: '.', search: next })}
    />
  );
}
