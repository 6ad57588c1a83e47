import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Provider, useQuery } from 'urql';
import { createClient } from '../client.js';
import { FrameChangedDocument, FrameDocument } from '../gql/frame.js';
import type { FrameQuery } from '../gql/types.js';
import { useLive } from '../live.js';
import { ConnectionState } from '../ui/connection.js';
import { Unshown } from '../ui/endings.js';
import { Picture } from '../ui/picture.js';
import { Toasts } from '../ui/toasts.js';
import { SessionEnded } from './session-ended.js';

/** What is around every page of somebody who is signed in. */
export function Frame() {
  const [client] = useState(createClient);
  return (
    <Provider value={client}>
      <Toasts>
        <Signed />
      </Toasts>
    </Provider>
  );
}

function Signed() {
  const [{ data, error }] = useQuery({ query: FrameDocument });
  const isSignedOut = data?.me === null;
  useSignIn(isSignedOut);
  useLive(FrameChangedDocument, {});
  if (isSignedOut) return null;
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <TopBar data={data} />
      <main className="page" id="main">
        {error && !data ? <Unshown error={error} /> : <Outlet />}
      </main>
      {data?.me && <SessionEnded person={data.me} />}
    </>
  );
}

/** Leads a visitor to the sign-in page, and back to this one from there. */
function useSignIn(isSignedOut: boolean): void {
  const navigate = useNavigate();
  const { href } = useLocation();
  useEffect(() => {
    if (isSignedOut)
      void navigate({ to: '/sign-in', search: href === '/' ? {} : { next: `/portal${href}` }, replace: true });
  }, [isSignedOut, navigate, href]);
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
      <nav aria-label="Portal">
        {SECTIONS.map(({ to, text }) => (
          <Link key={to} to={to}>
            {text}
          </Link>
        ))}
      </nav>
      <ConnectionState />
      {waiting > 0 && (
        <Link to="/" className="count" aria-label={waiting === 1 ? '1 invitation' : `${waiting} invitations`}>
          {waiting}
        </Link>
      )}
      {data?.me && (
        <Link to="/account" className="account" aria-label={`Account of ${data.me.username}`}>
          <Picture url={data.me.avatarUrl} name={data.me.username} isRound />
        </Link>
      )}
    </header>
  );
}
