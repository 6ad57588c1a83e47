import { passwordMatches } from '../../infra/crypto/passwords.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { fault, plainText } from '../input.js';
import { limits } from '../limits.js';
import { endSessions } from './sessions.js';

const { min, max } = limits.password;

export const NewPassword = plainText().refine(
  (password) => password.length >= min && password.length <= max,
  fault('BASE_TYPE_BAD_LENGTH', `Password must be ${min}–${max} characters.`),
);

export interface OwnPassword {
  userId: bigint;
  email: string;
  /** In the format of the accounts library. */
  passwordHash: string;
}

/** @param whose e-mail address as stored */
export async function findPassword(
  { read }: CallContext,
  whose: { userId: bigint } | { email: string },
): Promise<OwnPassword | null> {
  const account = await read.authUser.findUnique({
    where: whose,
    select: { userId: true, email: true, accounts: { where: { password: { not: null } }, select: { password: true } } },
  });
  const passwordHash = account?.accounts[0]?.password;
  return account && passwordHash ? { userId: account.userId, email: account.email, passwordHash } : null;
}

/**
 * The caller must limit the attempts.
 * @throws CONFLICT for an account without a password, INVALID_INPUT at `password`
 */
export async function requirePassword(call: CallContext, userId: bigint, password: string): Promise<void> {
  const own = await findPassword(call, { userId });
  if (!own) throw new DomainError('CONFLICT', 'Your account has no password.');
  if (await passwordMatches(password, own.passwordHash)) return;
  throw invalidInput({ path: 'password', code: 'PASSWORD_DOES_NOT_MATCH', message: 'The password is incorrect.' });
}

/** Waits for a concurrent change, so that the caller notices a session that began with the old password. */
export function isStillPassword(call: CallContext, { userId, passwordHash }: OwnPassword): Promise<boolean> {
  const where = { user: { userId }, password: passwordHash };
  const isStill = async ({ db }: Write) => (await db.authAccount.count({ where })) > 0;
  return call.write(isStill, { streams: [topics.user(userId)] });
}

export interface PasswordChange {
  userId: bigint;
  passwordHash: string;
  /** Token hash of the session that stays, if any. */
  keptSession: string | null;
}

/** Also ends every session except `keptSession`, and invalidates password reset links. */
export function changePassword(call: CallContext, change: PasswordChange): Promise<void> {
  return call.write((write) => replacePassword(call, write, change), { streams: [topics.user(change.userId)] });
}

/**
 * Mails the owner, because another person may have made the change. The transaction must lock the user's stream.
 */
export async function replacePassword(
  call: CallContext,
  write: Write,
  { userId, passwordHash, keptSession }: PasswordChange,
): Promise<void> {
  const { db } = write;
  const account = await db.authUser.findUniqueOrThrow({
    where: { userId },
    select: { id: true, email: true, name: true },
  });
  await db.authAccount.updateMany({
    where: { userId: account.id, password: { not: null } },
    data: { password: passwordHash, updatedAt: new Date(call.clock.now()) },
  });
  await db.authVerification.deleteMany({ where: { value: account.id } });
  await endSessions(write, userId, keptSession);
  const hasTokens = (await db.personalToken.count({ where: { userId } })) > 0;
  const paragraphs = [
    `The password of ${account.name} was changed, and all other sessions were signed out.`,
    ...(hasTokens ? [`Personal tokens stay valid. Review yours:\n${call.portalUrl}/account`] : []),
    `If you did not change it, reset your password:\n${call.passwordUrl}`,
  ];
  write.mail({
    to: account.email,
    subject: 'Your password was changed',
    text: `${paragraphs.join('\n\n')}\n`,
  });
}
