import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { FrameDocument } from '../../gql/frame.js';
import { useMe } from '../../me.js';
import { WholeRefusal } from '../../ui/form.js';
import type { Problem } from '../../ui/problems.js';
import { useCountdown } from '../../ui/times.js';
import { askAccounts } from '../visitors/accounts.js';

export function VerifyAddress() {
  const me = useMe();
  const [said, say] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const seconds = useCountdown(problem?.retryAfter ?? 0, problem);
  useRenewedMe(me?.emailVerified === false);
  if (!me?.email || me.emailVerified !== false) return null;
  const send = async () => {
    const refused = await askAccounts('send-verification-email', { email: me.email });
    setProblem(refused);
    say(refused ? '' : `Sent to ${me.email}.`);
  };
  return (
    <div className="notice warn">
      <p>Verify your email address to accept invitations. Open the link in the email we sent you.</p>
      <WholeRefusal problem={problem} />
      <div className="actions">
        <button type="button" className="plain" disabled={seconds > 0} onClick={send}>
          Resend email
        </button>
        <span role="status">{said}</span>
      </div>
    </div>
  );
}

/** The mail's link opens elsewhere, so refetch when the user returns to the tab. */
function useRenewedMe(isAwaited: boolean): void {
  const client = useClient();
  useEffect(() => {
    if (!isAwaited) return;
    const stop = new AbortController();
    const ask = () => {
      if (document.visibilityState === 'visible')
        void client.query(FrameDocument, {}, { requestPolicy: 'network-only' }).toPromise();
    };
    document.addEventListener('visibilitychange', ask, { signal: stop.signal });
    window.addEventListener('focus', ask, { signal: stop.signal });
    return () => stop.abort();
  }, [client, isAwaited]);
}
