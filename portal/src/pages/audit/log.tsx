import { Link } from '@tanstack/react-router';
import { useEffect, useReducer } from 'react';
import type { PersonFragment } from '../../gql/types.js';
import type { LogSearch } from '../../routes/log-search.js';
import { WholeRefusal } from '../../ui/form.js';
import { Skeleton } from '../../ui/listing.js';
import { Name } from '../../ui/page.js';
import { Ago } from '../../ui/times.js';
import { LogFilter } from './filter.js';
import { Sentence } from './sentences.js';
import { type LogSource, type LogVariables, type Row, useLog } from './use-log.js';
import { actionsOf, type Group } from './words.js';
import './audit.css';

interface AuditLogProps<Data, Told> {
  source: LogSource<Data, Told>;
  id: string;
  groups: readonly Group[];
  /** Whoever may have done something; others are learnt from the log. */
  people: readonly PersonFragment[];
  search: LogSearch;
  onSearch: (search: LogSearch) => void;
  /** Whether entries say with which application it was done. */
  namesApplications?: boolean;
}

/** Who did what, newest first. */
export function AuditLog<Data, Told>({ search, onSearch, groups, people, ...rest }: AuditLogProps<Data, Told>) {
  const [actors, meet] = useReducer(met, people);
  const actions = actionsOf(groups, search.what);
  const variables: LogVariables = {
    id: rest.id,
    ...(actions ? { actions } : {}),
    ...(search.who === undefined ? {} : { actorId: search.who }),
  };
  return (
    <section className="card">
      <h2>Audit log</h2>
      <LogFilter groups={groups} people={actors} search={search} onSearch={onSearch} />
      <Entries key={JSON.stringify(variables)} variables={variables} onRows={meet} {...rest} />
    </section>
  );
}

/** Those who are known already, and whoever did something in these rows. */
function met(known: readonly PersonFragment[], rows: readonly Row[]): readonly PersonFragment[] {
  const others = new Map<string, PersonFragment>();
  for (const { actor } of rows.map(({ entry }) => entry)) {
    if (actor && !known.some(({ id }) => id === actor.id)) others.set(actor.id, actor);
  }
  return others.size === 0 ? known : [...known, ...others.values()];
}

type EntriesProps<Data, Told> = Pick<AuditLogProps<Data, Told>, 'source' | 'namesApplications'> & {
  variables: LogVariables;
  onRows: (rows: readonly Row[]) => void;
};

function Entries<Data, Told>({ source, variables, onRows, namesApplications = false }: EntriesProps<Data, Told>) {
  const { rows, hasOlder, loadOlder, isBusy, problem } = useLog(source, variables);
  useEffect(() => {
    if (rows) onRows(rows);
  }, [rows, onRows]);
  if (!rows) return problem ? <WholeRefusal problem={problem} /> : <Skeleton />;
  return (
    <>
      <p role="status" className="soft small">
        {newWords(rows)}
      </p>
      {rows.length === 0 && <p className="hint">Nothing of this was done.</p>}
      <ol className="audit-log" aria-label="Audit log">
        {rows.map((row) => (
          <Entry key={row.entry.id} row={row} namesApplication={namesApplications} />
        ))}
      </ol>
      <WholeRefusal problem={problem} />
      {hasOlder && (
        <button type="button" className="plain" disabled={isBusy} onClick={loadOlder}>
          Load older
        </button>
      )}
    </>
  );
}

function newWords(rows: readonly Row[]): string {
  const count = rows.filter(({ isNew }) => isNew).length;
  if (count === 0) return '';
  return count === 1 ? '1 new entry' : `${count} new entries`;
}

function Entry({ row: { entry, isNew }, namesApplication }: { row: Row; namesApplication: boolean }) {
  const { application, createdAt } = entry;
  return (
    <li className={isNew ? 'new' : undefined}>
      <p>
        <Sentence entry={entry} />
        {isNew && <span className="badge good">new</span>}
      </p>
      <p className="soft small">
        {namesApplication && application && (
          <>
            <Link to="/applications/$applicationId" params={{ applicationId: application.id }}>
              <Name>{application.name}</Name>
            </Link>{' '}
            ·{' '}
          </>
        )}
        <Ago at={createdAt} />
      </p>
    </li>
  );
}
