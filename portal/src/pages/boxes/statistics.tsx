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
  if (requests === 0) return <p className="hint">Nothing was asked of it in the last 24 hours.</p>;
  return (
    <>
      <dl>
        <dt>Requests</dt>
        <dd>{requests.toLocaleString()}</dd>
        {failures.map(({ status, count }) => (
          <Failures key={status} status={status} count={count} />
        ))}
        <dt>Added by the relay</dt>
        <dd>
          {addedP50Ms === null || addedP95Ms === null
            ? 'not known: the box did not say how long it worked'
            : `up to ${addedP50Ms.toLocaleString()} ms for half of the answers, up to ${addedP95Ms.toLocaleString()} ms for 95 of 100`}
        </dd>
      </dl>
      <Hours hours={hours} />
    </>
  );
}

/** By response status. */
const REASONS: Record<number, string> = {
  413: 'too long for it',
  502: 'no usable answer',
  503: 'away, or too much to do',
  504: 'no answer in time',
};

function Failures({ status, count }: Facts['failures'][number]) {
  return (
    <>
      <dt>
        Ended {status} <span className="soft small">{REASONS[status]}</span>
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
