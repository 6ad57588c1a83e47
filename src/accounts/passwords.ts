import { z } from 'zod';
import type { AppContext } from '../context.js';
import {
  changePassword as changeIt,
  EmailAddress,
  findPassword,
  isPasswordReset,
  NewPassword,
  resetPassword as resetIt,
  sendPasswordReset,
} from '../domain/accounts/index.js';
import { DomainError, invalidInput } from '../domain/errors.js';
import { plainText } from '../domain/input.js';
import {
  PASSWORD_MAILS_PER_ACCOUNT,
  PASSWORD_MAILS_PER_ADDRESS,
  PASSWORD_RESETS_PER_ADDRESS,
} from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import type { FindPerson, Visitor } from '../http/page-sessions.js';
import { hashSecret } from '../infra/crypto/secrets.js';
import { countSignIn, takeAttempt } from './attempts.js';
import type { Auth } from './auth.js';
import { requireOwner } from './own-sessions.js';

const Change = z.object({ currentPassword: plainText(), newPassword: NewPassword });
const Request = z.object({ email: EmailAddress });
const Reset = z.object({ token: z.string().max(200), newPassword: NewPassword });

/**
 * Ends the other sessions. A wrong current password counts as a sign-in attempt.
 * @throws UNAUTHENTICATED, RATE_LIMITED, INVALID_INPUT, CONFLICT for an account without a password
 */
export async function changePassword(
  app: AppContext,
  auth: Auth,
  findPerson: FindPerson,
  body: unknown,
  visitor: Visitor,
): Promise<void> {
  const { call, owner } = await requireOwner(app, findPerson, visitor.headers);
  const { currentPassword, newPassword } = parseInput(Change, body);
  const own = await findPassword(call, { userId: owner.userId });
  if (!own) throw new DomainError('CONFLICT', 'Your account has no password.');
  const { password } = await auth.$context;
  await countSignIn(app, own.email, visitor.address, async () => {
    if (await password.verify({ hash: own.passwordHash, password: currentPassword })) return { ok: true };
    throw invalidInput({
      path: 'currentPassword',
      code: 'PASSWORD_DOES_NOT_MATCH',
      message: 'The current password is incorrect.',
    });
  });
  const passwordHash = await password.hash(newPassword);
  await changeIt(call, { userId: owner.userId, passwordHash, keptSession: owner.session });
}

/**
 * Does not reveal whether the account exists.
 * @throws RATE_LIMITED, INVALID_INPUT
 */
export async function requestPasswordReset(app: AppContext, body: unknown, { address }: Visitor): Promise<void> {
  await takeAttempt(app, PASSWORD_MAILS_PER_ADDRESS, address);
  const { email } = parseInput(Request, body);
  await takeAttempt(app, PASSWORD_MAILS_PER_ACCOUNT, hashSecret(email));
  await sendPasswordReset(app.callOfNobody(), email);
}

/**
 * Ends all sessions.
 * @throws RATE_LIMITED, INVALID_INPUT, INVALID_RESET_TOKEN
 */
export async function resetPassword(app: AppContext, auth: Auth, body: unknown, { address }: Visitor): Promise<void> {
  await takeAttempt(app, PASSWORD_RESETS_PER_ADDRESS, address);
  const { token, newPassword } = parseInput(Reset, body);
  const call = app.callOfNobody();
  // Made-up tokens must not cost a slow hash.
  if (!(await isPasswordReset(call, token))) throw new DomainError('INVALID_RESET_TOKEN');
  const { password } = await auth.$context;
  await resetIt(call, token, await password.hash(newPassword));
}
