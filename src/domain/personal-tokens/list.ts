import type { PersonalToken } from '../../infra/database/index.js';
import { type CallContext, requireSession } from '../call.js';
import { limits } from '../limits.js';

/** Newest first, with expired ones. @throws UNAUTHENTICATED, FORBIDDEN for a caller with a personal token */
export async function listPersonalTokens(call: CallContext): Promise<PersonalToken[]> {
  const userId = requireSession(call).user.id;
  return call.read.personalToken.findMany({
    where: { userId },
    orderBy: { id: 'desc' },
    take: limits.personalTokensPerPerson,
  });
}
