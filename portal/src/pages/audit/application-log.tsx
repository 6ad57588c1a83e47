import { useNavigate, useSearch } from '@tanstack/react-router';
import { ApplicationChangedDocument } from '../../gql/applications/layout.js';
import { ApplicationLogDocument } from '../../gql/audit/audit.js';
import type { ApplicationLogQuery } from '../../gql/types.js';
import { useTitle } from '../../ui/page.js';
import { useApplication } from '../applications/application.js';
import { AuditLog } from './log.js';
import { PORTAL_VERBS } from './portal-verbs.js';
import { GROUPS, PORTAL_WORDS } from './portal-words.js';
import { type LogSource, toldBy } from './use-log.js';

const SOURCE: LogSource<ApplicationLogQuery> = {
  document: ApplicationLogDocument,
  pageIn: ({ application }) => application?.auditLog,
  useTold: toldBy(ApplicationChangedDocument),
};

const NOBODY = [] as const;

const LANGUAGE = { verbs: PORTAL_VERBS, words: PORTAL_WORDS, groups: GROUPS.application };

export function ApplicationLog() {
  const { id, name } = useApplication();
  const search = useSearch({ from: '/frame/applications/$applicationId/audit' });
  const navigate = useNavigate();
  useTitle('Audit log', name);
  return (
    <AuditLog
      source={SOURCE}
      id={id}
      language={LANGUAGE}
      people={NOBODY}
      search={search}
      onSearch={(next) => void navigate({ to: '.', search: next })}
    />
  );
}
