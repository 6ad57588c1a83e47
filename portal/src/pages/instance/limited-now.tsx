import { useEffect } from 'react';
import { InstanceLimitedDocument } from '../../gql/instance/limits.js';
import type { LimitRowFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Listing } from '../../ui/listing.js';
import { Name } from '../../ui/page.js';
import { Ago } from '../../ui/times.js';
import type { Subject } from './limit-dialogs.js';
import { figure } from './words.js';

const ASK_EVERY_MS = 5_000;

interface LimitedNowProps {
  /** Undefined while loading. */
  limits: readonly LimitRowFragment[] | undefined;
  onSet: (limit: LimitRowFragment, subject: Subject) => void;
}

export function LimitedNow({ limits, onSet }: LimitedNowProps) {
  const answer = useQuery({ query: InstanceLimitedDocument });
  const { again } = answer;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [again]);
  return (
    <section className="card" aria-label="Limited now">
      <h2>Limited now</h2>
      <p className="soft">People, bots and network addresses that these limits refused in the last 10 minutes.</p>
      <Listing
        answer={answer}
        items={answer.data?.instance.limited}
        shape="list"
        empty="No one was refused."
        render={({ kind, subject, subjectName, refusals, lastAt }) => {
          const limit = limits?.find((one) => one.kind === kind);
          const own = limit?.perSubject.find((one) => one.subject === subject);
          return (
            <li key={`${kind} ${subject}`}>
              <div>
                <b>{subjectName === null ? <code>{subject}</code> : <Name>{subjectName}</Name>}</b>
                <p className="soft small">
                  {limit?.name}: {figure(refusals, 'refusal')}, the last <Ago at={lastAt} />
                </p>
              </div>
              {limit && (
                <button
                  type="button"
                  className="plain small"
                  aria-label={`Set limit for ${subjectName ?? subject}: ${limit.name}`}
                  onClick={() => onSet(limit, { subject, name: subjectName, ...(own && { value: own.value }) })}
                >
                  Set limit
                </button>
              )}
            </li>
          );
        }}
      />
    </section>
  );
}
