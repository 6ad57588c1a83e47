import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { PersonDeletionDocument } from '../../gql/instance/people.js';
import type { PersonDeletionQuery } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Unshown } from '../../ui/endings.js';
import { Skeleton } from '../../ui/listing.js';
import { Heading, useTitle } from '../../ui/page.js';
import { TargetLog } from '../audit/instance-log.js';
import { figure } from './words.js';

interface DeletedPersonProps {
  id: string;
  /** Shown if there was no such person. */
  otherwise?: ReactNode;
}

const AGAIN_MS = 1_000;

/** Refetches until the job is done. */
export function DeletedPerson({ id, otherwise }: DeletedPersonProps) {
  const { data, error, again } = useQuery({
    query: PersonDeletionDocument,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const deletion = data?.instance.personDeletion;
  useEffect(() => {
    if (deletion?.state !== 'RUNNING') return;
    const timer = setTimeout(again, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [deletion, again]);
  if (!deletion) return error ? (otherwise ?? <Unshown error={error} />) : <Skeleton />;
  return <Shown id={id} deletion={deletion} />;
}

type Progress = PersonDeletionQuery['instance']['personDeletion'];

function Shown({ id, deletion }: { id: string; deletion: Progress }) {
  useTitle('Deleted User', 'Instance');
  return (
    <>
      <p className="small instance-back">
        <Link to="/instance/people">All people</Link>
      </p>
      <header className="noun">
        <Heading>Deleted User</Heading>
      </header>
      <section className="card">
        <h2>Deletion</h2>
        <p role="status">{progressText(deletion)}</p>
        {deletion.state === 'RUNNING' && <ProgressBar left={deletion.messages + deletion.servers} />}
      </section>
      <TargetLog id={id} />
    </>
  );
}

/** Full is what was left when the page was opened. */
function ProgressBar({ left }: { left: number }) {
  const [all] = useState(left);
  return <progress className="deletion-progress" aria-label="Deletion" max={Math.max(all, 1)} value={all - left} />;
}

function progressText({ state, messages, servers }: Progress): string {
  switch (state) {
    case 'RUNNING':
      return `The person is out. Still to remove: ${figure(messages, 'message')} and ${figure(servers, 'membership')}.`;
    case 'DONE':
      return 'The person is deleted. Nothing is left to remove.';
    case 'FAILED':
      return 'The person is out, but the rest could not be removed. The log of the instance has the error.';
  }
}
