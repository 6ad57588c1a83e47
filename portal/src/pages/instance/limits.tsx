import { useState } from 'react';
import { InstanceLimitsDocument } from '../../gql/instance/limits.js';
import type { LimitRowFragment } from '../../gql/types.js';
import { useMe } from '../../me.js';
import { useQuery } from '../../query.js';
import { NotFound } from '../../ui/endings.js';
import { Awaited } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { ResetLimit, SetLimit, type Subject } from './limit-dialogs.js';
import { LimitedNow } from './limited-now.js';
import { limitValue } from './words.js';

export function Limits() {
  return useMe()?.operatorRole === 'OPERATOR' ? <Listed /> : <NotFound />;
}

/** The subject is null for the instance, and undefined if the user enters it. */
interface Opened {
  what: 'set' | 'reset';
  limit: LimitRowFragment;
  subject: Subject | null | undefined;
}

function Listed() {
  useTitle('Limits', 'Instance');
  const answer = useQuery({ query: InstanceLimitsDocument });
  const limits = answer.data?.instance.limits;
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  return (
    <>
      <div className="heading">
        <Heading>Limits</Heading>
      </div>
      <LimitedNow limits={limits} onSet={(limit, subject) => setOpened({ what: 'set', limit, subject })} />
      {!limits && (
        <section className="card">
          <Awaited answer={answer} />
        </section>
      )}
      {limits?.map((limit) => (
        <Limit key={limit.kind} limit={limit} onOpen={(what, subject) => setOpened({ what, limit, subject })} />
      ))}
      {opened?.what === 'set' && <SetLimit {...opened} onClose={close} />}
      {opened?.what === 'reset' && <ResetLimit {...opened} subject={opened.subject ?? null} onClose={close} />}
    </>
  );
}

interface LimitProps {
  limit: LimitRowFragment;
  onOpen: (what: Opened['what'], subject: Opened['subject']) => void;
}

function Limit({ limit, onOpen }: LimitProps) {
  const { name, description, perSubject, isSet } = limit;
  return (
    <section className="card" aria-label={name}>
      <h2>{name}</h2>
      <p className="soft">{description}</p>
      <ul className="list" ref={useRowFocus()}>
        <li>
          <div>
            <b>{limitValue(limit, limit.value)}</b>
            <p className="soft small">
              For the whole instance{isSet ? `. The default is ${limitValue(limit, limit.default)}.` : ', by default.'}
            </p>
          </div>
          <div className="buttons">
            <button
              type="button"
              className="plain small"
              aria-label={`Change limit: ${name}`}
              onClick={() => onOpen('set', null)}
            >
              Change
            </button>
            {isSet && (
              <button
                type="button"
                className="plain small"
                aria-label={`Use default: ${name}`}
                onClick={() => onOpen('reset', null)}
              >
                Use default
              </button>
            )}
          </div>
        </li>
        {perSubject.map((one) => (
          <SubjectItem key={one.subject} limit={limit} one={one} onOpen={onOpen} />
        ))}
      </ul>
      <button
        type="button"
        className="plain"
        aria-label={`Add exception: ${name}`}
        onClick={() => onOpen('set', undefined)}
      >
        Add exception
      </button>
    </section>
  );
}

interface SubjectItemProps extends LimitProps {
  one: LimitRowFragment['perSubject'][number];
}

function SubjectItem({ limit, one, onOpen }: SubjectItemProps) {
  const { subject, name, value } = one;
  const called = name ?? subject;
  return (
    <li>
      <div>
        <b>{limitValue(limit, value)}</b>
        <p className="soft small">For {name === null ? <code>{subject}</code> : <Name>{name}</Name>}</p>
      </div>
      <div className="buttons">
        <button
          type="button"
          className="plain small"
          aria-label={`Change the exception for ${called}: ${limit.name}`}
          onClick={() => onOpen('set', { subject, name, value })}
        >
          Change
        </button>
        <button
          type="button"
          className="plain small"
          aria-label={`Remove the exception for ${called}: ${limit.name}`}
          onClick={() => onOpen('reset', { subject, name, value })}
        >
          Remove
        </button>
      </div>
    </li>
  );
}
