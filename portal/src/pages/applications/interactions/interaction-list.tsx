import { Link } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import {
  EndpointHealthDocument,
  InteractionLogDocument,
  InteractionUpdatedDocument,
} from '../../../gql/applications/interactions/interactions.js';
import type { EndpointHealthQuery, InteractionRowFragment } from '../../../gql/types.js';
import { useSubscription } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { useRenewal } from '../../../renewal.js';
import { Awaited, Refused } from '../../../ui/listing.js';
import { Ago } from '../../../ui/times.js';
import { useApplication } from '../application.js';
import { newestFirst, partAt, withRow } from './interaction-log.js';
import { personText, STATES, typeText } from './interaction-words.js';

/** Delay before the statistics are refetched, in milliseconds. */
const HEALTH_AFTER_MS = 500;

export function InteractionLog({ id, empty }: { id: string; empty: ReactNode }) {
  const [isPaused, setPaused] = useState(false);
  const log = useLog(id, isPaused);
  return (
    <section className="card" aria-labelledby="log">
      <div className="heading">
        <h2 id="log">Log</h2>
        <button type="button" className="plain small" onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
      </div>
      <Health id={id} since={log.changes} />
      <Waiting count={log.waiting} show={log.showWaiting} isPaused={isPaused} />
      <Rows log={log} empty={empty} />
    </section>
  );
}

type Log = ReturnType<typeof useLog>;

function useLog(id: string, isPaused: boolean) {
  const [before, setBefore] = useState<string | null>(null);
  // Only the newest page is refetched. The cache merges older pages into it.
  const { data, error, again } = useQuery({ query: InteractionLogDocument, variables: { id, before: null } });
  const older = useQuery({ query: InteractionLogDocument, variables: { id, before }, pause: before === null });
  const live = useLiveRows(id, isPaused);
  useRenewal(again, !isPaused);
  const page = data?.application?.interactions;
  const rows = useHeld(page?.edges.map(({ node }) => node) ?? NONE, live);
  const [seen, setSeen] = useState<string | null>(null);
  const newest = rows[0]?.id ?? null;
  useEffect(() => setSeen((known) => known ?? newest), [newest]);
  const { shown, waiting } = partAt(rows, seen);
  return {
    shown: page ? shown : undefined,
    waiting: waiting.length,
    showWaiting: () => setSeen(newest),
    changes: live,
    error: error ?? older.error,
    again: error ? again : older.again,
    isBusy: older.fetching,
    older: page?.pageInfo.hasPreviousPage ? () => setBefore(page.pageInfo.startCursor) : null,
  };
}

/** Keeps all rows, because a refetched page may start later than the previous one. */
function useHeld(read: readonly InteractionRowFragment[], live: readonly InteractionRowFragment[]) {
  const [held, hold] = useState(NONE);
  const rows = newestFirst(read, newestFirst(live, held));
  const newest = rows[0]?.id;
  useEffect(() => hold(rows), [newest, rows.length]);
  return rows;
}

function useLiveRows(applicationId: string, isPaused: boolean): readonly InteractionRowFragment[] {
  const add = useCallback(
    (
      rows: InteractionRowFragment[] | undefined,
      { interactionUpdated }: { interactionUpdated: InteractionRowFragment },
    ) => withRow(rows ?? [], interactionUpdated),
    [],
  );
  const asked = { query: InteractionUpdatedDocument, variables: { applicationId }, pause: isPaused };
  const [{ data }] = useSubscription(asked, add);
  return data ?? NONE;
}

const NONE: readonly InteractionRowFragment[] = [];

/** Offers new rows instead of inserting them, so that visible rows do not move. */
function Waiting({ count, show, isPaused }: { count: number; show: () => void; isPaused: boolean }) {
  const text = count === 1 ? '1 new interaction' : `${count} new interactions`;
  return (
    <div className="waiting">
      <span role="status" className="soft small">
        {isPaused ? 'Paused' : count > 0 ? text : ''}
      </span>
      {count > 0 && (
        <button type="button" className="plain small" onClick={show}>
          Show {text}
        </button>
      )}
    </div>
  );
}

function Rows({ log, empty }: { log: Log; empty: ReactNode }) {
  const { shown, error, again, older, isBusy } = log;
  if (!shown) return <Awaited answer={log} />;
  if (shown.length === 0) return empty;
  return (
    <>
      <ol className="interaction-log" aria-label="Interactions">
        {shown.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ol>
      {error && <Refused error={error} again={again} />}
      {older && (
        <button type="button" className="plain" disabled={isBusy} onClick={older}>
          Load older
        </button>
      )}
    </>
  );
}

function Row({ row }: { row: InteractionRowFragment }) {
  const { text, tone } = STATES[row.state];
  return (
    <li>
      <span className={`badge ${tone}`}>{text}</span>
      <Link
        to="/applications/$applicationId/interactions/$interactionId"
        from="/applications/$applicationId"
        params={{ interactionId: row.id }}
      >
        <bdi>{row.name}</bdi>
      </Link>
      <span className="soft small">
        {typeText(row.type)} · <bdi>{personText(row)}</bdi> · <Place row={row} />
      </span>
      <span className="soft small end">
        {row.fellBack && <span className="badge warn">fallback</span>}{' '}
        {row.durationMs !== null && `${row.durationMs} ms · `}
        <Ago at={row.createdAt} />
      </span>
    </li>
  );
}

export function Place({ row: { channel } }: { row: Pick<InteractionRowFragment, 'channel'> }) {
  if (!channel) return <>Hidden channel</>;
  return (
    <>
      <bdi>{channel.guild ? `#${channel.name}` : 'Direct message'}</bdi>
      {channel.guild && (
        <>
          , <bdi>{channel.guild.name}</bdi>
        </>
      )}
    </>
  );
}

type Numbers = NonNullable<EndpointHealthQuery['application']>['endpointHealth'];

function Health({ id, since }: { id: string; since: unknown }) {
  const answer = useQuery({ query: EndpointHealthDocument, variables: { id } });
  const { data, again } = answer;
  const { interactionsEndpointUrl } = useApplication();
  useEffect(() => {
    if (since === NONE) return;
    const timer = setTimeout(again, HEALTH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [since, again]);
  const health = data?.application?.endpointHealth;
  // Without an endpoint, interactions use the gateway, so empty statistics mean nothing.
  if (health && interactionsEndpointUrl === null && isBlank(health)) return null;
  return health ? <HealthLine health={health} /> : <Awaited answer={answer} lines={1} />;
}

function isBlank({ answered, fellBack, failed }: Numbers): boolean {
  return answered + fellBack + failed === 0;
}

function HealthLine({ health }: { health: Numbers }) {
  const figures = [
    ['Answered', health.answered],
    ['Fallback', health.fellBack],
    ['Failed', health.failed],
    ['p50', duration(health.p50Ms)],
    ['p95', duration(health.p95Ms)],
  ] as const;
  return (
    <section aria-label="Health">
      <p className="soft small">Last 100 interactions sent to the endpoint</p>
      <dl className="figures">
        {figures.map(([term, figure]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
      {health.lastFailure !== null && health.lastFailureAt !== null && (
        <p className="small">
          Last failure <Ago at={health.lastFailureAt} />: {health.lastFailure}
        </p>
      )}
    </section>
  );
}

function duration(ms: number | null): string {
  return ms === null ? '–' : `${ms} ms`;
}
