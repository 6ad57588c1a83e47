import type { AuthUser } from '../../infra/database/index.js';
import type { Mail } from '../../infra/mail.js';
import type { CallContext } from '../call.js';
import { plainName } from '../mail-text.js';
import { namesOf, type Owned } from './owned.js';

type Recipient = Pick<AuthUser, 'email' | 'name'>;

export function scheduledMail({ portalUrl }: CallContext, { email, name }: Recipient, deletionAt: Date): Mail {
  const day = deletionAt.toISOString().slice(0, 16).replace('T', ' ');
  return {
    to: email,
    subject: 'Your account will be deleted',
    text: `The account ${name} on Causeway will be deleted on ${day} UTC, as you asked.

Until then, everything goes on. To keep the account, sign in and choose "Keep my account":
${portalUrl}/account

If you did not ask for it, keep the account and change your password.
`,
  };
}

export function keptMail({ portalUrl }: CallContext, { email, name }: Recipient, owned: Owned): Mail {
  return {
    to: email,
    subject: 'Your account was not deleted',
    text: `The account ${name} on Causeway was due to be deleted, but it owns ${plainName(namesOf(owned))}.

The account stays. Hand over or delete what it owns, and then delete the account again:
${portalUrl}/account
`,
  };
}
