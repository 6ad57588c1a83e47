import { z } from 'zod';
import type { AppContext } from '../context.js';
import {
  EmailAddress,
  endSession,
  findPassword,
  findSuspension,
  isStillPassword,
  type OwnPassword,
} from '../domain/accounts/index.js';
import type { CallContext } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { fault, plainText } from '../domain/input.js';
import { SIGN_IN_PER_ADDRESS } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import type { FindPerson, Visitor } from '../http/page-sessions.js';
import { hashSecret } from '../infra/crypto/secrets.js';
import { countSignIn, takeAttempt } from './attempts.js';
import type { Auth } from './auth.js';
import { requestFor } from './forwarding.js';

const Password = plainText().refine((password) => password !== '', fault('BASE_TYPE_REQUIRED', 'Enter your password.'));

const Credentials = z.object({ email: EmailAddress, password: Password });

/**
 * Counts the attempt. Success and outages give the count back.
 * @throws RATE_LIMITED, INVALID_INPUT, UNAUTHENTICATED without saying whether the address or the password is wrong
 */
export async function signIn(app: AppContext, auth: Auth, credentials: unknown, visitor: Visitor): Promise<Response> {
  const { email, password } = await readCredentials(app, credentials, visitor);
  const { before, response } = await countSignIn(app, email, visitor.address, async () => {
    const found = await findPassword(app.callOfNobody(), { email });
    const request = requestFor(app, '/auth/sign-in/email', visitor, { email, password });
    const answer = await auth.handler(request);
    if (answer.status >= 500) throw new Error(`sign-in failed with status ${answer.status}`);
    if (!answer.ok) throw new DomainError('UNAUTHENTICATED', 'The email address or password is incorrect.');
    return { ok: true, before: found, response: answer };
  });
  if (before) {
    await endIfOutdated(app, before, response);
    await endIfSuspended(app, before, response);
  }
  return response;
}

/**
 * Ends the new session if the password was changed during the sign-in.
 * @throws UNAUTHENTICATED
 */
async function endIfOutdated(app: AppContext, before: OwnPassword, response: Response): Promise<void> {
  const call = app.callOfNobody();
  if (await isStillPassword(call, before)) return;
  await endNewSession(call, before, response);
  throw new DomainError('UNAUTHENTICATED', 'Your password was just changed. Sign in with the new password.');
}

/** @throws SUSPENDED with the operator's text */
async function endIfSuspended(app: AppContext, { userId }: OwnPassword, response: Response): Promise<void> {
  const call = app.callOfNobody();
  const suspension = await findSuspension(call, userId);
  if (suspension === null) return;
  await endNewSession(call, { userId }, response);
  throw new DomainError('SUSPENDED', `Your account is suspended. ${suspension}`.trim());
}

async function endNewSession(call: CallContext, { userId }: Pick<OwnPassword, 'userId'>, response: Response) {
  const { token } = SignedIn.parse(await response.clone().json());
  await endSession(call, userId, { token: hashSecret(token) });
}

const SignedIn = z.object({ token: z.string() });

/**
 * Counts invalid credentials by address, because they name no account.
 * @throws RATE_LIMITED, INVALID_INPUT
 */
async function readCredentials(app: AppContext, input: unknown, { address }: Visitor) {
  try {
    return parseInput(Credentials, input);
  } catch (fault) {
    await takeAttempt(app, SIGN_IN_PER_ADDRESS, address);
    throw fault;
  }
}

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
