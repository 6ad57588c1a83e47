import { hashSecret, randomToken } from '../../infra/crypto/secrets.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { replacePassword } from './password.js';

const LINK_LIFETIME_MS = 60 * 60 * 1_000;

const TOKEN_BYTES = 32;

/** Identifier of the reset link's row. Its value is the account id. */
const filedUnder = (token: string) => `password-reset:${hashSecret(token)}`;

const rowOf = (token: string, { clock }: CallContext) => ({
  identifier: filedUnder(token),
  expiresAt: { gt: new Date(clock.now()) },
});

/** Sends nothing if the address has no account. @param email as stored */
export async function sendPasswordReset(call: CallContext, email: string): Promise<void> {
  const account = await call.read.authUser.findUnique({ where: { email }, select: { id: true, name: true } });
  if (!account) return;
  const token = randomToken(TOKEN_BYTES);
  await call.write(async ({ db, mail }) => {
    await writePasswordLink(call, { db }, account.id, token);
    mail({
      to: email,
      subject: 'Reset your password',
      text: `Someone, probably you, requested a password reset for ${account.name}.

Choose a new password:
${call.passwordUrl}?token=${token}

The link works once and expires in one hour. If you did not request it, you can ignore this email.
`,
    });
  });
}

/** Lets the token choose a new password, once and within an hour. */
export async function writePasswordLink(
  call: CallContext,
  { db }: Pick<Write, 'db'>,
  accountId: string,
  token: string,
): Promise<void> {
  const now = call.clock.now();
  const times = { createdAt: new Date(now), updatedAt: new Date(now), expiresAt: new Date(now + LINK_LIFETIME_MS) };
  await db.authVerification.create({
    data: { id: String(call.nextId()), identifier: filedUnder(token), value: accountId, ...times },
  });
}

export async function isPasswordReset(call: CallContext, token: string): Promise<boolean> {
  const row = await call.read.authVerification.findFirst({ where: rowOf(token, call), select: { id: true } });
  return row !== null;
}

/**
 * A link works once. Ends all sessions. Verifies the address, since the mail reached its owner.
 * @throws INVALID_RESET_TOKEN if the link is invalid, used or expired
 */
export async function resetPassword(call: CallContext, token: string, passwordHash: string): Promise<void> {
  const row = await call.read.authVerification.findFirst({ where: rowOf(token, call) });
  const account = row && (await call.read.authUser.findUnique({ where: { id: row.value }, select: { userId: true } }));
  if (!account) throw new DomainError('INVALID_RESET_TOKEN');
  const { userId } = account;
  const reset = async (write: Write) => {
    // Only one of several concurrent requests deletes it.
    const { count } = await write.db.authVerification.deleteMany({ where: { id: row.id } });
    if (count === 0) throw new DomainError('INVALID_RESET_TOKEN');
    await write.db.authUser.update({ where: { userId }, data: { emailVerified: true } });
    await replacePassword(call, write, { userId, passwordHash, keptSession: null });
  };
  await call.write(reset, { streams: [topics.user(userId)] });
}
