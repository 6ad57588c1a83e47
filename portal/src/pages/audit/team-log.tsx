import { useNavigate, useSearch } from '@tanstack/react-router';
import { TeamLogDocument } from '../../gql/audit/audit.js';
import { TeamChangedDocument } from '../../gql/teams/layout.js';
import type { TeamLogQuery } from '../../gql/types.js';
import { useTitle } from '../../ui/page.js';
import { useTeam } from '../teams/team.js';
import { AuditLog } from './log.js';
import { PORTAL_VERBS } from './portal-verbs.js';
import { GROUPS, PORTAL_WORDS } from './portal-words.js';
import { type LogSource, toldBy } from './use-log.js';

const SOURCE: LogSource<TeamLogQuery> = {
  document: TeamLogDocument,
  pageIn: ({ team }) => team?.auditLog,
  useTold: toldBy(TeamChangedDocument),
};

const LANGUAGE = { verbs: PORTAL_VERBS, words: PORTAL_WORDS, groups: GROUPS.team };

export function TeamLog() {
  const { id, name, members } = useTeam();
  const search = useSearch({ from: '/frame/teams/$teamId/audit' });
  const navigate = useNavigate();
  useTitle('Audit log', name);
  return (
    <AuditLog
      source={SOURCE}
      id={id}
      language={LANGUAGE}
      people={members.map(({ user }) => user)}
      search={search}
      onSearch={(next) => void navigate({ to: '.', search: next })}
      namesApplications
    />
  );
}
