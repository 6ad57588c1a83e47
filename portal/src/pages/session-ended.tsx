import { useEffect, useState } from 'react';
import { askWhoIsThere } from '../client.js';
import { beginSession, returns, sessionEnded, tellReturn } from '../session.js';
import { useStore } from '../store.js';
import { OpenDialog } from '../ui/dialog.js';
import { SignInForm } from './visitors/sign-in-form.js';

interface SessionEndedProps {
  person: { id: string; username: string; email: string | null };
  /** Called if another user is signed in. */
  onOther: () => void;
}

/**
 * Asks for a new sign-in. The same user continues with their input.
 * The page is hidden until then, because another person may use the browser.
 */
export function SessionEnded({ person, onOther }: SessionEndedProps) {
  const isEnded = useStore(sessionEnded);
  const count = useStore(returns);
  const [email, setEmail] = useState(person.email ?? '');
  const [isUnanswered, setUnanswered] = useState(false);
  useEffect(() => {
    if (count === 0) return;
    void askWhoIsThere().then((id) => {
      if (id === person.id) beginSession();
      else if (typeof id === 'string') onOther();
      setUnanswered(id === undefined);
    });
  }, [count, person.id, onOther]);
  if (!isEnded) return null;
  return (
    <OpenDialog title="Your session has ended" hidesPage>
      <p>Sign in as {person.username} to continue. Your input is still here.</p>
      {isUnanswered && (
        <p className="notice" role="alert">
          Couldn't verify who's signed in. Sign in again.
        </p>
      )}
      <SignInForm email={email} setEmail={setEmail} onDone={tellReturn} />
    </OpenDialog>
  );
}
