import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { FrameDocument } from '../gql/frame.js';
import { beginSession, returns, sessionEnded, tellReturn } from '../session.js';
import { useStore } from '../store.js';
import { OpenDialog } from '../ui/dialog.js';
import { SignInForm } from './visitors/sign-in-form.js';

interface Person {
  id: string;
  username: string;
  email: string | null;
}

/**
 * Asks who is there once the session ended, over the page and what was typed on it. The same person goes on; for another one
 * everything begins anew.
 */
export function SessionEnded({ person }: { person: Person }) {
  const isEnded = useStore(sessionEnded);
  const count = useStore(returns);
  const client = useClient();
  const [email, setEmail] = useState(person.email ?? '');
  useEffect(() => {
    if (count === 0) return;
    const ask = client.query(FrameDocument, {}, { requestPolicy: 'network-only' }).toPromise();
    void ask.then(({ data }) => {
      if (data?.me?.id === person.id) beginSession();
      else if (data) window.location.assign('/portal');
    });
  }, [count, client, person.id]);
  if (!isEnded) return null;
  return (
    <OpenDialog title="Your session has ended">
      <p>Sign in as {person.username} to go on. What you typed is still here.</p>
      <SignInForm email={email} setEmail={setEmail} onDone={tellReturn} />
    </OpenDialog>
  );
}
