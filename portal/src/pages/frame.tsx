import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, Provider } from 'urql';
import { AskedList } from '../asked.js';
import { createClient } from '../client.js';
import { FrameChangedDocument, FrameDocument } from '../gql/frame.js';
import type { FrameQuery } from '../gql/types.js';
import { useLive } from '../live.js';
import { useQuery } from '../query.js';
import { beginSession, signedOut } from '../session.js';
import { useStore } from '../store.js';
import { ConnectionState } from '../ui/connection.js';
import { Unshown } from '../ui/endings.js';
import { LeaveGuard } from '../ui/leave.js';
import { useOpenLink } from '../ui/open-link.js';
import { problemIn } from '../ui/problems.js';
import { Toasts } from '../ui/toasts.js';
import { DeletionNotice } from './account/deletion-notice.js';
import { AccountMenu } from './account-menu.js';
import { AsGraphqlButton } from './as-graphql-button.js';
import { SessionEnded } from './session-ended.js';
import { SwitcherButton } from './switcher-button.js';

export function Frame() {
  const [asked] = useState(() => new AskedList());
  const [client] = useState(() => createClient(asked));
  return (
    <Provider value={client}>
      <Toasts>
        <Signed asked={asked} />
      </Toasts>
    </Provider>
  );
}

function Signed({ asked }: { asked: AskedList }) {
  const { data, error } = useQuery({ query: FrameDocument });
  const { person, isReplaced, replace } = usePerson(data?.me);
  const isVisitor = person === null && (data ? data.me === null : isOfNobody(error));
  useSignIn(isVisitor);
  const isSignedOut = useStore(signedOut);
  useLive(FrameChangedDocument, {});
  if (isSignedOut) return <Replaced by="/portal/sign-in" />;
  if (isVisitor) return null;
  if (isReplaced) return <Replaced by="/portal" />;
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <TopBar data={data} />
      <main className="page" id="main">
        <DeletionNotice />
        {/* Without a connection, the pages stay and report it themselves. */}
        {error && !error.networkError && !person ? <Unshown error={error} /> : <Outlet />}
      </main>
      <footer className="foot">
        <AsGraphqlButton asked={asked} />
      </footer>
      <LeaveGuard />
      {person && <SessionEnded person={person} onOther={replace} />}
    </>
  );
}

type Person = NonNullable<FrameQuery['me']>;

/**
 * `person` is the first user who was signed in, also after the session ends. `isReplaced` is true once another one is.
 */
function usePerson(me: Person | null | undefined) {
  const [person, setPerson] = useState<Person | null>(null);
  const [isReplaced, setReplaced] = useState(false);
  useEffect(() => {
    if (me) setPerson((first) => first ?? me);
  }, [me]);
  const id = me?.id;
  useEffect(() => {
    if (id !== undefined) beginSession();
  }, [id]);
  const isOther = person !== null && id !== undefined && id !== person.id;
  return { person, isReplaced: isReplaced || isOther, replace: useCallback(() => setReplaced(true), []) };
}

/** Drops the previous user's data and unsaved input without asking. */
function Replaced({ by }: { by: string }) {
  useEffect(() => {
    // Reload if the back/forward cache restores this empty page.
    window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());
    window.location.replace(by);
  }, [by]);
  return null;
}

function isOfNobody(error: CombinedError | undefined): boolean {
  return error !== undefined && problemIn(error).code === 'UNAUTHENTICATED';
}

/** Redirects visitors to the sign-in page, and back afterwards. */
function useSignIn(isSignedOut: boolean): void {
  const navigate = useNavigate();
  const { href } = useLocation();
  const wanted = useRef(href);
  wanted.current = href;
  useEffect(() => {
    if (!isSignedOut) return;
    const next = wanted.current === '/' ? {} : { next: `/portal${wanted.current}` };
    void navigate({ to: '/sign-in', search: next, replace: true });
  }, [isSignedOut, navigate]);
}

const SECTIONS = [
  { to: '/applications', text: 'Applications' },
  { to: '/teams', text: 'Teams' },
  { to: '/servers', text: 'Servers' },
  { to: '/boxes', text: 'Boxes' },
] as const;

function TopBar({ data }: { data: FrameQuery | undefined }) {
  const waiting = data ? data.portalHome.teamInvitations.length + data.portalHome.testerInvitations.length : 0;
  return (
    <header className="bar">
      <Link to="/" className="brand">
        Causeway
      </Link>
      <nav aria-label="Portal" ref={useOpenLink()}>
        {SECTIONS.map(({ to, text }) => (
          <Link key={to} to={to}>
            {text}
          </Link>
        ))}
        {data?.me?.operatorRole && <Link to="/instance">Instance</Link>}
      </nav>
      <SwitcherButton />
      <ConnectionState />
      {waiting > 0 && (
        <Link to="/" className="count" aria-label={waiting === 1 ? '1 invitation' : `${waiting} invitations`}>
          {waiting}
        </Link>
      )}
      {data?.me && <AccountMenu me={data.me} />}
    </header>
  );
}
