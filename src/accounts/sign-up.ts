import type { AppContext } from '../context.js';
import { SIGN_UP_PER_ADDRESS } from '../domain/limits.js';
import type { Visitor } from '../http/page-sessions.js';
import { takeAttempt } from './attempts.js';
import type { Auth } from './auth.js';
import { requestFor } from './forwarding.js';

/**
 * Every attempt counts toward the limit.
 * @throws RATE_LIMITED, INVALID_INPUT, CONFLICT for a taken username or e-mail address
 */
export async function signUp(app: AppContext, auth: Auth, details: unknown, visitor: Visitor): Promise<Response> {
  await takeAttempt(app, SIGN_UP_PER_ADDRESS, visitor.address);
  return auth.handler(requestFor(app, '/auth/sign-up/email', visitor, details));
}
