import { useState } from 'react';
import { useClient } from 'urql';
import { FrameDocument } from '../gql/frame.js';
import { sessionEnded, tellSession } from '../session.js';
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
  const client = useClient();
  const [email, setEmail] = useState(person.email ?? '');
  if (!isEnded) return null;
  const goOn = async () => {
    const { data } = await client.query(FrameDocument, {}, { requestPolicy: 'network-only' }).toPromise();
    if (data?.me?.id === person.id) tellSession(false);
    else window.location.assign('/portal');
  };
  return (
    <OpenDialog title="Your session has ended">
      <p>Sign in as {person.username} to go on. What you typed is still here.</p>
      <SignInForm email={email} setEmail={setEmail} onDone={goOn} />
    </OpenDialog>
  );
}
