import { useState } from 'react';
import { tellSignedOut } from '../../session.js';
import { LeaveQuestion } from '../../ui/leave.js';
import { wholeTextOf } from '../../ui/problems.js';
import { complain } from '../../ui/toasts.js';
import { isLostWithTab } from '../../unsaved.js';
import { askAccounts } from '../visitors/accounts.js';

interface SignOutProps {
  className: string;
  /** Called before any confirmation. */
  onPress?: () => void;
}

/** Closes the pages in every tab. Asks first if unsaved input would be lost. */
export function SignOut({ className, onPress }: SignOutProps) {
  const [isAsking, ask] = useState(false);
  const press = () => {
    onPress?.();
    if (isLostWithTab()) ask(true);
    else void signOut();
  };
  const leave = () => {
    ask(false);
    void signOut();
  };
  return (
    <>
      <button type="button" className={className} onClick={press}>
        Sign out
      </button>
      {isAsking && <LeaveQuestion onStay={() => ask(false)} onLeave={leave} />}
    </>
  );
}

async function signOut(): Promise<void> {
  const refused = await askAccounts('sign-out', {});
  if (!refused) return tellSignedOut();
  const state = refused.code === 'NETWORK' ? 'You may still be signed in.' : 'You are still signed in.';
  complain(`${state} ${wholeTextOf(refused)}`);
}
