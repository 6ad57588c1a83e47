import { type CallContext, requirePerson } from '../call.js';
import { createBotToken } from './bot-tokens.js';
import { createClientSecret } from './secrets.js';

/** @throws UNAUTHENTICATED */
export function newBotToken(call: CallContext, applicationId: bigint) {
  const now = call.clock.now();
  const { token, hash } = createBotToken(applicationId, now);
  const columns = {
    botTokenHash: hash,
    botTokenLast4: token.slice(-4),
    botTokenCreatedAt: new Date(now),
    botTokenCreatedById: requirePerson(call).user.id,
    botTokenLastUsedAt: null,
  };
  return { token, columns };
}

/** @throws UNAUTHENTICATED */
export function newClientSecret(call: CallContext) {
  const { secret, columns } = createClientSecret();
  const made = {
    clientSecretCreatedAt: new Date(call.clock.now()),
    clientSecretCreatedById: requirePerson(call).user.id,
    clientSecretLastUsedAt: null,
  };
  return { secret, columns: { ...columns, ...made } };
}
