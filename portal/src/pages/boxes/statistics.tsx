import { useEffect } from 'react';
import { BoxStatisticsDocument } from '../../gql/boxes/boxes.js';
import type { BoxStatisticsQuery } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Awaited } from '../../ui/listing.js';
import { Hours } from './hours.js';

type Facts = NonNullable<BoxStatisticsQuery['box']>['statistics'];

export function Statistics({ boxId }: { boxId: string }) {
  const answer = useQuery({ query: BoxStatisticsDocument, variables: { id: boxId } });
  useEachMinute(answer.again);
  const statistics = answer.data?.box?.statistics;
  return (
    <section className="card">
      <h2>Last 24 hours</h2>
      {statistics ? <Numbers facts={statistics} /> : <Awaited answer={answer} />}
    </section>
  );
}

function Numbers({ facts }: { facts: Facts }) {
  const { requests, failures, addedP50Ms, addedP95Ms, hours } = facts;
  if (requests === 0) return <p className="hint">No requests in the last 24 hours.</p>;
  return (
    <>
      <dl>
        <dt>Requests</dt>
        <dd>{requests.toLocaleString()}</dd>
        {failures.map(({ status, count }) => (
          <Failures key={status} status={status} count={count} />
        ))}
        <dt>Latency added by the relay</dt>
        <dd>
          {addedP50Ms === null || addedP95Ms === null
            ? 'unknown: the box did not report its processing time'
            : `50% within ${addedP50Ms.toLocaleString()} ms, 95% within ${addedP95Ms.toLocaleString()} ms`}
        </dd>
      </dl>
      <Hours hours={hours} />
    </>
  );
}

/** By response status. */
const REASONS: Record<number, string> = {
  413: 'request too large',
  502: 'unusable response',
  503: 'box offline or overloaded',
  504: 'no response in time',
};

function Failures({ status, count }: Facts['failures'][number]) {
  return (
    <>
      <dt>
        HTTP {status} <span className="soft small">{REASONS[status]}</span>
      </dt>
      <dd>{count.toLocaleString()}</dd>
    </>
  );
}

const ASK_EVERY_MS = 60_000;

/** Calls `ask` every minute while the tab is visible, and when it becomes visible. */
function useEachMinute(ask: () => void): void {
  useEffect(() => {
    const askIfSeen = () => document.visibilityState === 'visible' && ask();
    const timer = setInterval(askIfSeen, ASK_EVERY_MS);
    document.addEventListener('visibilitychange', askIfSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', askIfSeen);
    };
  }, [ask]);
}
