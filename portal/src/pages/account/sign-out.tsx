import { wholeTextOf } from '../../ui/problems.js';
import { complain } from '../../ui/toasts.js';
import { askAccounts } from '../visitors/accounts.js';

/** Ends the session. The page is loaded anew: nothing of what was shown stays. */
export async function signOut(): Promise<void> {
  const refused = await askAccounts('sign-out', {});
  if (refused) complain(`You are still signed in. ${wholeTextOf(refused)}`);
  else window.location.assign('/portal/sign-in');
}
