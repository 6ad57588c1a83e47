import type { Reader, User } from '../../infra/database/index.js';
import { DomainError, invalidInput } from '../errors.js';

/** Ignores case. @throws INVALID_INPUT at `email` if there is no account */
export async function getPersonByEmail(read: Pick<Reader, 'user'>, email: string): Promise<User> {
  const account = { email: email.trim().toLowerCase() };
  const person = await read.user.findFirst({ where: { account, bot: false, deletedAt: null } });
  if (person) return person;
  const message = 'There is no account with this email address.';
  throw invalidInput({ path: 'email', code: 'EMAIL_UNKNOWN', message });
}

/** Without an SMTP server, every address counts as verified. @throws FORBIDDEN */
export async function requireVerifiedEmail(read: Pick<Reader, 'authUser'>, userId: bigint): Promise<void> {
  const account = await read.authUser.findUnique({ where: { userId }, select: { emailVerified: true } });
  if (account?.emailVerified !== false) return;
  throw new DomainError('FORBIDDEN', 'Verify your email address before you accept an invitation.');
}
