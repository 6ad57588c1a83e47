import { z } from 'zod';
import { hashSecret } from '../../infra/crypto/secrets.js';
import type { PersonalToken, Transaction, User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireSession } from '../call.js';
import { DomainError } from '../errors.js';
import { DAY_MS } from '../expiry.js';
import { nameText } from '../input.js';
import { limits } from '../limits.js';
import { requireOperator } from '../operators/access.js';
import { makePersonalToken } from './token.js';

const days = limits.personalTokenDays;

export const NewPersonalToken = z.object({
  name: nameText(limits.personalTokenName.min, limits.personalTokenName.max),
  /** Null for a token that does not expire. */
  expiresInDays: z.int().min(days.min).max(days.max).nullable().default(days.default),
  forOperator: z.boolean().nullish(),
});

/** The token cannot be read again. */
export interface PersonalTokenWithSecret {
  personalToken: PersonalToken;
  token: string;
}

/**
 * Mails the owner, because another person may have created the token.
 * @param input.forOperator whether the token may act on the instance, as far as its owner may
 * @throws UNAUTHENTICATED, FORBIDDEN for a caller with a personal token, NOT_FOUND for operators' tokens without a role,
 * LIMIT_EXCEEDED
 */
export async function createPersonalToken(
  call: CallContext,
  { name, expiresInDays, ...input }: z.output<typeof NewPersonalToken>,
): Promise<PersonalTokenWithSecret> {
  const { user } = requireSession(call);
  const forOperator = input.forOperator ?? false;
  if (forOperator) await requireOperator(call, 'MODERATOR');
  const token = makePersonalToken();
  const expiresAt = expiresInDays === null ? null : new Date(call.clock.now() + expiresInDays * DAY_MS);
  const personalToken = await call.write(
    async ({ db, mail }) => {
      if (forOperator) await requireOperator(call, 'MODERATOR', db);
      await requireCapacity(db, user.id);
      const { email } = await db.authUser.findUniqueOrThrow({ where: { userId: user.id }, select: { email: true } });
      mail({ to: email, subject: 'A personal token was created', text: mailText(call, user, { name, forOperator }) });
      const id = call.nextId();
      const row = {
        id,
        userId: user.id,
        name,
        hash: hashSecret(token),
        last4: token.slice(-4),
        forOperator,
        expiresAt,
      };
      return db.personalToken.create({ data: row });
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

function mailText(
  { portalUrl }: CallContext,
  { username }: User,
  { name, forOperator }: Pick<PersonalToken, 'name' | 'forOperator'>,
): string {
  const asOperator = forOperator ? ' It can also act on the whole instance, as far as your role allows.' : '';
  return `The personal token "${name}" was created for ${username}. It can manage your applications and run commands as you.${asOperator}

If you did not create it, revoke it and change your password:
${portalUrl}/account
`;
}
