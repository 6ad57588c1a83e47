import { useNavigate, useSearch } from '@tanstack/react-router';
import { InstanceLogDocument } from '../../gql/audit/audit.js';
import type { InstanceLogQuery } from '../../gql/types.js';
import { Heading, useTitle } from '../../ui/page.js';
import { INSTANCE_VERBS } from './instance-verbs.js';
import { INSTANCE_GROUPS, INSTANCE_WORDS } from './instance-words.js';
import type { Language } from './language.js';
import { AuditLog, Entries } from './log.js';
import type { LogSource } from './use-log.js';

const SOURCE: LogSource<InstanceLogQuery, string | undefined> = {
  document: InstanceLogDocument,
  pageIn: ({ instance }) => instance.auditLog,
  // The cache renews the log after each action of this browser.
  useTold: () => 0,
};

const NOBODY = [] as const;

const LANGUAGE: Language = {
  verbs: INSTANCE_VERBS,
  words: INSTANCE_WORDS,
  groups: INSTANCE_GROUPS,
  withoutActor: 'Command line',
};

export function InstanceLog() {
  const search = useSearch({ from: '/frame/instance/audit' });
  const navigate = useNavigate();
  useTitle('Audit log', 'Instance');
  return (
    <>
      <div className="heading">
        <Heading>Audit log</Heading>
      </div>
      <AuditLog
        source={SOURCE}
        id={undefined}
        language={LANGUAGE}
        people={NOBODY}
        search={search}
        isHeaded
        findsAnyone
        onSearch={(next) => void navigate({ to: '.', search: next })}
      />
    </>
  );
}

/** Log of the actions on one person, application or server. */
export function TargetLog({ id }: { id: string }) {
  return (
    <section className="card">
      <h2>Actions of operators</h2>
      <Entries source={SOURCE} language={LANGUAGE} variables={{ id }} empty="Nothing yet." />
    </section>
  );
}
