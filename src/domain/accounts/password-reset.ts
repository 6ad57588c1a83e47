import { hashSecret, randomToken } from '../../infra/secrets.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { replacePassword } from './password.js';

/** How long a link works, in milliseconds. */
const LINK_LIFETIME_MS = 60 * 60 * 1_000;

const TOKEN_BYTES = 32;

/** What the row of a link is filed under. Its value is the account. */
const filedUnder = (token: string) => `password-reset:${hashSecret(token)}`;

/** The row of a link that is not over. */
const rowOf = (token: string, { clock }: CallContext) => ({
  identifier: filedUnder(token),
  expiresAt: { gt: new Date(clock.now()) },
});

/**
 * Sends a link for another password to somebody who has forgotten theirs; nothing to an address that nobody has an account with.
 * @param email as it is stored
 */
export async function sendPasswordReset(call: CallContext, email: string): Promise<void> {
  const account = await call.read.authUser.findUnique({ where: { email }, select: { id: true, name: true } });
  if (!account) return;
  const token = randomToken(TOKEN_BYTES);
  const now = call.clock.now();
  await call.write(async ({ db, mail }) => {
    await db.authVerification.create({
      data: {
        id: String(call.nextId()),
        identifier: filedUnder(token),
        value: account.id,
        expiresAt: new Date(now + LINK_LIFETIME_MS),
        createdAt: new Date(now),
        updatedAt: new Date(now),
      },
    });
    mail({
      to: email,
      subject: 'Choose another password',
      text: `Somebody, probably you, asked for another password for ${account.name}.

Choose it here:
${call.passwordUrl}?token=${token}

The link works once, within an hour. If you did not ask for it, you can ignore this mail.
`,
    });
  });
}

/** Whether a link works, without using it. */
export async function isPasswordReset(call: CallContext, token: string): Promise<boolean> {
  const row = await call.read.authVerification.findFirst({ where: rowOf(token, call), select: { id: true } });
  return row !== null;
}

/**
 * Gives whoever follows a link another password, once. All sessions end, and the address is verified: the mail has reached its owner.
 * @throws INVALID_RESET_TOKEN for a link that does not work, or not any more
 */
export function resetPassword(call: CallContext, token: string, passwordHash: string): Promise<void> {
  return call.write(async (write) => {
    const { db } = write;
    const row = await db.authVerification.findFirst({ where: rowOf(token, call) });
    const account = row && (await db.authUser.findUnique({ where: { id: row.value }, select: { userId: true } }));
    // Of several who follow it at once, the row goes for one.
    const isFirst = row !== null && (await db.authVerification.deleteMany({ where: { id: row.id } })).count === 1;
    if (!account || !isFirst) throw new DomainError('INVALID_RESET_TOKEN');
    await db.authUser.update({ where: { id: row.value }, data: { emailVerified: true } });
    await replacePassword(call, write, { userId: account.userId, passwordHash, keptSession: null });
  });
}
