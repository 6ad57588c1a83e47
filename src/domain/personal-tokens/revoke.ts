import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireSession } from '../call.js';
import { DomainError } from '../errors.js';

/**
 * The token stops working at once, and its subscriptions end.
 * @throws UNAUTHENTICATED, FORBIDDEN for a caller with a personal token, UNKNOWN_PERSONAL_TOKEN if it was revoked or is
 * another person's
 */
export async function revokePersonalToken(call: CallContext, id: bigint): Promise<void> {
  const userId = requireSession(call).user.id;
  await call.write(
    async ({ db, record }) => {
      const { count } = await db.personalToken.deleteMany({ where: { id, userId } });
      if (count === 0) throw new DomainError('UNKNOWN_PERSONAL_TOKEN');
      record({ type: 'SESSION_ENDED', userId });
    },
    { streams: [topics.user(userId)] },
  );
}
