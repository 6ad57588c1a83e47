import type { CallContext, Write } from '../call.js';
import { fault, plainText } from '../input.js';
import { limits } from '../limits.js';
import { endSessions } from './sessions.js';

const { min, max } = limits.password;

/** A password that somebody chooses. */
export const NewPassword = plainText().refine(
  (password) => password.length >= min && password.length <= max,
  fault('BASE_TYPE_BAD_LENGTH', `A password has ${min} to ${max} characters.`),
);

/** The password of an account. */
export interface OwnPassword {
  userId: bigint;
  email: string;
  /** As the accounts library makes it. */
  passwordHash: string;
}

/** @param whose one of the two; an e-mail address as it is stored */
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
 * Whether an account has that password still. Waits for a change that is under way, so that whoever began a session by the password before
 * learns of every change that did not end it.
 */
export function isStillPassword(call: CallContext, { userId, passwordHash }: OwnPassword): Promise<boolean> {
  // To write a row is to wait for whoever writes it.
  const password = passwordHash;
  return call.write(async ({ db }) => {
    const { count } = await db.authAccount.updateMany({ where: { user: { userId }, password }, data: { password } });
    return count > 0;
  });
}

/** What takes the place of a password. */
export interface PasswordChange {
  userId: bigint;
  passwordHash: string;
  /** The hash of the token of the one session that goes on; null for none. */
  keptSession: string | null;
}

/** Gives somebody another password. Every session ends but the one that is kept, and links for a forgotten password lead nowhere any more. */
export function changePassword(call: CallContext, change: PasswordChange): Promise<void> {
  return call.write((write) => replacePassword(call, write, change));
}

/** The change as part of a transaction. The mail goes to the owner, who may not be the one who did it. */
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
  write.mail({
    to: account.email,
    subject: 'Your password was changed',
    text: `The password of ${account.name} was changed, and everywhere else you are signed out.

If that was not you, choose another one:
${call.passwordUrl}
`,
  });
}
