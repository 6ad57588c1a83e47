import type { AppContext } from '../context.js';
import { DomainError } from '../domain/errors.js';
import { VERIFICATION_MAILS_PER_PERSON } from '../domain/limits.js';
import type { FindPerson, Visitor } from '../http/page-sessions.js';
import { takeAttempt } from './attempts.js';
import type { Auth } from './auth.js';
import { requestFor } from './forwarding.js';

/** @throws UNAUTHENTICATED, RATE_LIMITED, CONFLICT if already verified */
export async function resendVerificationMail(
  app: AppContext,
  findPerson: FindPerson,
  { headers }: Visitor,
): Promise<void> {
  const person = await findPerson(headers);
  if (person.kind !== 'person') throw new DomainError('UNAUTHENTICATED');
  const account = await app.db.reader.authUser.findUnique({ where: { userId: person.user.id } });
  if (!account || account.emailVerified) throw new DomainError('CONFLICT', 'Your email address is already verified.');
  await takeAttempt(app, VERIFICATION_MAILS_PER_PERSON, account.id);
  const { sendVerificationMail } = await import('./verification-mail.js');
  await sendVerificationMail(app, account);
}

/** @throws INVALID_REQUEST for an invalid or expired token */
export async function verifyEmail(app: AppContext, auth: Auth, token: string, address: string): Promise<void> {
  const { linkByNewest } = await import('./verification-mail.js');
  const signed = await linkByNewest(app.keys.accounts, token);
  const path = `/auth/verify-email?${new URLSearchParams({ token: signed })}`;
  // The link may be for an account other than the visitor's.
  const response = await auth.handler(requestFor(app, path, { address, headers: {} }));
  if (response.ok) return;
  if (response.status >= 500) throw new Error(`email verification failed with status ${response.status}`);
  const message = 'This link is invalid or has expired. Sign in to the portal and request a new one.';
  throw new DomainError('INVALID_REQUEST', message);
}
