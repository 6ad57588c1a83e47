import { Link } from '@tanstack/react-router';
import { useEffect, useReducer } from 'react';
import type { PersonFragment } from '../../gql/types.js';
import type { LogSearch } from '../../routes/log-search.js';
import { WholeRefusal } from '../../ui/form.js';
import { Skeleton } from '../../ui/listing.js';
import { Name } from '../../ui/page.js';
import { Ago } from '../../ui/times.js';
import { LogFilter } from './filter.js';
import { actionsOf, type Language } from './language.js';
import { Sentence } from './sentences.js';
import { type LogSource, type LogVariables, type Row, useLog } from './use-log.js';
import './audit.css';

interface AuditLogProps<Data, Id> {
  source: LogSource<Data, Id>;
  id: Id;
  language: Language;
  /** Actors known in advance. Others are added from loaded entries. */
  people: readonly PersonFragment[];
  search: LogSearch;
  onSearch: (search: LogSearch) => void;
  namesApplications?: boolean;
  /** Whether the filter finds any person of the instance. */
  findsAnyone?: boolean;
  /** Whether the page has a heading of its own. */
  isHeaded?: boolean;
}

export function AuditLog<Data, Id>({
  search,
  onSearch,
  people,
  isHeaded,
  findsAnyone,
  ...rest
}: AuditLogProps<Data, Id>) {
  const { language } = rest;
  const [actors, meet] = useReducer(met, people);
  const actions = actionsOf(language, search.what);
  const variables: LogVariables<Id> = {
    id: rest.id,
    ...(actions ? { actions } : {}),
    ...(search.who === undefined ? {} : { actorId: search.who }),
  };
  return (
    <section className="card">
      {!isHeaded && <h2>Audit log</h2>}
      <LogFilter {...{ language, people: actors, search, onSearch, findsAnyone }} />
      <Entries key={JSON.stringify(variables)} variables={variables} onRows={meet} {...rest} />
    </section>
  );
}

function met(known: readonly PersonFragment[], rows: readonly Row[]): readonly PersonFragment[] {
  const others = new Map<string, PersonFragment>();
  for (const { actor } of rows.map(({ entry }) => entry)) {
    if (actor && !known.some(({ id }) => id === actor.id)) others.set(actor.id, actor);
  }
  return others.size === 0 ? known : [...known, ...others.values()];
}

type EntriesProps<Data, Id> = Pick<AuditLogProps<Data, Id>, 'source' | 'language' | 'namesApplications'> & {
  variables: LogVariables<Id>;
  onRows?: (rows: readonly Row[]) => void;
  /** Shown without entries. */
  empty?: string;
};

export function Entries<Data, Id>(props: EntriesProps<Data, Id>) {
  const { source, language, variables, onRows, namesApplications = false } = props;
  const { empty = 'No entries found. Try another filter.' } = props;
  const { rows, hasOlder, loadOlder, isBusy, problem } = useLog(source, variables);
  useEffect(() => {
    if (rows) onRows?.(rows);
  }, [rows, onRows]);
  if (!rows) return problem ? <WholeRefusal problem={problem} /> : <Skeleton />;
  return (
    <>
      <p role="status" className="soft small">
        {newWords(rows)}
      </p>
      {rows.length === 0 && <p className="hint">{empty}</p>}
      <ol className="audit-log" aria-label="Audit log">
        {rows.map((row) => (
          <Entry key={row.entry.id} row={row} language={language} namesApplication={namesApplications} />
        ))}
      </ol>
      <WholeRefusal problem={problem} />
      {hasOlder && (
        <button type="button" className="plain" disabled={isBusy} onClick={loadOlder}>
          Load older entries
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

interface EntryProps {
  row: Row;
  language: Language;
  namesApplication: boolean;
}

function Entry({ row: { entry, isNew }, language, namesApplication }: EntryProps) {
  const { application, reason, createdAt } = entry;
  return (
    <li className={isNew ? 'new' : undefined}>
      <p>
        <Sentence entry={entry} language={language} />
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
        {reason !== null && (
          <>
            {' '}
            · Reason: <bdi>{reason}</bdi>
          </>
        )}
      </p>
    </li>
  );
}
