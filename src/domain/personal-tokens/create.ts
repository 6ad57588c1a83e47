import { z } from 'zod';
import { hashSecret } from '../../infra/crypto/secrets.js';
import type { PersonalToken, Transaction, User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireSession } from '../call.js';
import { DomainError } from '../errors.js';
import { DAY_MS } from '../expiry.js';
import { nameText } from '../input.js';
import { limits } from '../limits.js';
import { makePersonalToken } from './token.js';

const days = limits.personalTokenDays;

export const NewPersonalToken = z.object({
  name: nameText(limits.personalTokenName.min, limits.personalTokenName.max),
  /** Null for a token that does not expire. */
  expiresInDays: z.int().min(days.min).max(days.max).nullable().default(days.default),
});

/** The token cannot be read again. */
export interface PersonalTokenWithSecret {
  personalToken: PersonalToken;
  token: string;
}

/**
 * Mails the owner, because another person may have created the token.
 * @throws UNAUTHENTICATED, FORBIDDEN for a caller with a personal token, LIMIT_EXCEEDED
 */
export async function createPersonalToken(
  call: CallContext,
  { name, expiresInDays }: z.output<typeof NewPersonalToken>,
): Promise<PersonalTokenWithSecret> {
  const { user } = requireSession(call);
  const token = makePersonalToken();
  const expiresAt = expiresInDays === null ? null : new Date(call.clock.now() + expiresInDays * DAY_MS);
  const personalToken = await call.write(
    async ({ db, mail }) => {
      await requireCapacity(db, user.id);
      const { email } = await db.authUser.findUniqueOrThrow({ where: { userId: user.id }, select: { email: true } });
      mail({ to: email, subject: 'A personal token was created', text: mailText(call, user, name) });
      const id = call.nextId();
      const data = { id, userId: user.id, name, hash: hashSecret(token), last4: token.slice(-4), expiresAt };
      return db.personalToken.create({ data });
    },
    { streams: [topics.user(user.id)] },
  );
  return { personalToken, token };
}

/** Expired tokens count until they are removed. @throws LIMIT_EXCEEDED */
async function requireCapacity(db: Transaction, userId: bigint): Promise<void> {
  const most = limits.personalTokensPerPerson;
  if ((await db.personalToken.count({ where: { userId } })) < most) return;
  throw new DomainError('LIMIT_EXCEEDED', `You can have at most ${most} personal tokens. Revoke one to make room.`);
}

function mailText({ portalUrl }: CallContext, { username }: User, name: string): string {
  return `The personal token "${name}" was created for ${username}. It can manage your applications and run commands as you.

If you did not create it, revoke it and change your password:
${portalUrl}/account
`;
}
