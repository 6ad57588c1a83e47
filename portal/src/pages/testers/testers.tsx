import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { RemoveTesterDocument } from '../../gql/testers/testers.js';
import type { ApplicationTestersFragment } from '../../gql/types.js';
import { Danger, useAction } from '../../ui/action.js';
import { Copyable } from '../../ui/copy.js';
import { useOff } from '../../ui/guarded.js';
import { Name, useTitle } from '../../ui/page.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { Ago } from '../../ui/times.js';
import { say } from '../../ui/toasts.js';
import { useApplication } from '../applications/application.js';
import { useReason } from '../applications/reasons.js';
import { nameOf, PersonLine } from '../teams/person.js';
import { InviteTester } from './invite-tester.js';
import '../teams/teams.css';

const TESTERS_PER_APPLICATION = 100;

/** Testers may install the application while it is private. */
export function Testers() {
  const { name, testers, public: isPublic } = useApplication();
  const { off, note } = useOff(useReason('MANAGE_TESTERS'));
  const rows = useRowFocus();
  useTitle('Testers', name);
  return (
    <>
      <section className="card">
        <div className="heading">
          <h2>Testers</h2>
          <span className="soft">
            {testers.length}/{TESTERS_PER_APPLICATION}
          </span>
        </div>
        <p>Testers can install this application while it is private. They can't see these pages.</p>
        <InstallLink />
        {note}
        {testers.length > 0 && (
          <ul className="people" aria-label="Testers" ref={rows}>
            {testers.map((tester) => (
              <TesterRow key={tester.user.id} tester={tester} off={off} />
            ))}
          </ul>
        )}
        {testers.length === 0 && <p className="hint">{emptyText(isPublic)}</p>}
      </section>
      <InviteTester off={off} />
    </>
  );
}

function InstallLink() {
  const { id, installUrl } = useApplication();
  if (installUrl) return <Copyable label="Install link" text={installUrl} />;
  return (
    <p className="hint">
      This application has no install link. Set one up under{' '}
      <Link to="/applications/$applicationId/installation" params={{ applicationId: id }}>
        Installation
      </Link>
      .
    </p>
  );
}

function emptyText(isPublic: boolean): string {
  if (isPublic) return 'This application is public, so anyone can install it. Testers matter only while it is private.';
  return 'This application is private and has no testers, so no one can install it, including you.';
}

type Tester = ApplicationTestersFragment['testers'][number];

function TesterRow({ tester: { user, state, createdAt, invitedBy }, off }: { tester: Tester; off: object }) {
  return (
    <li>
      <PersonLine person={user}>
        {state === 'ACCEPTED' ? 'accepted' : 'pending'} · invited <Ago at={createdAt} />
        {invitedBy && (
          <>
            {' '}
            by <Name>{nameOf(invitedBy)}</Name>
          </>
        )}
      </PersonLine>
      <div className="actions">
        <RemoveTester user={user} off={off} />
      </div>
    </li>
  );
}

function RemoveTester({ user, off }: Pick<Tester, 'user'> & { off: object }) {
  const [isAsked, ask] = useState(false);
  return (
    <>
      <button type="button" className="plain" aria-label={`Remove ${nameOf(user)}`} onClick={() => ask(true)} {...off}>
        Remove
      </button>
      {isAsked && <RemoveQuestion user={user} onClose={() => ask(false)} />}
    </>
  );
}

function RemoveQuestion({ user, onClose }: Pick<Tester, 'user'> & { onClose: () => void }) {
  const { id, name } = useApplication();
  const { run, isBusy, problem } = useAction(RemoveTesterDocument, { isQuiet: true });
  const remove = async () => {
    if (await run({ input: { applicationId: id, userId: user.id } })) say(`${nameOf(user)} is no longer a tester`);
  };
  return (
    <Danger
      title={`Remove ${nameOf(user)} from the testers of ${name}?`}
      doIt="Remove tester"
      onDo={remove}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
    >
      <p>
        <Name>{nameOf(user)}</Name> will no longer be able to install the application while it is private. Their tokens
        stay valid, and existing installations stay in place.
      </p>
    </Danger>
  );
}
