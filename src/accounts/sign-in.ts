import { z } from 'zod';
import type { AppContext, FindPerson, Visitor } from '../context.js';
import { parseInput, plainText } from '../domain/input.js';
import { SIGN_IN_AN_ADDRESS } from '../domain/limits.js';
import { takeAttempt } from './attempts.js';
import type { Auth } from './auth.js';
import { requestFor } from './forwarding.js';

const Credentials = z.object({ email: plainText().pipe(z.string().max(254)), password: plainText() });

/**
 * Begins a session. Every attempt counts, whatever was sent.
 * @throws RATE_LIMITED, INVALID_INPUT, and the accounts library's own refusal of wrong credentials
 */
export async function signIn(app: AppContext, auth: Auth, credentials: unknown, visitor: Visitor): Promise<Response> {
  await takeAttempt(app, SIGN_IN_AN_ADDRESS, visitor.address);
  const { email, password } = parseInput(Credentials, credentials);
  return auth.handler(requestFor(app, '/auth/sign-in/email', visitor, { email: email.trim(), password }));
}

/** Ends the session that the visitor's headers carry, if any. */
export async function signOut(
  app: AppContext,
  auth: Auth,
  findPerson: FindPerson,
  visitor: Visitor,
): Promise<Response> {
  const person = await findPerson(visitor.headers);
  const response = await auth.handler(requestFor(app, '/auth/sign-out', visitor, {}));
  if (person.kind === 'person') app.publish({ type: 'SESSION_ENDED', userId: person.user.id });
  return response;
}
