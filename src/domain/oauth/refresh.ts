import type { OAuthGrant } from '../../infra/database/index.js';
import { hashSecret } from '../../infra/secrets.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { type Scope, storedScopes } from '../installations/scopes.js';
import { type Client, writeForClient } from './clients.js';
import { parseScope } from './scope.js';
import { endGrant, type IssuedTokens, issueTokens, removeExpiredTokens } from './tokens.js';

export interface RefreshInput {
  refreshToken: string;
  /** Space-separated: what the new access token is to have of the grant; all of it when not given. */
  scope: string | undefined;
}

/**
 * Exchanges a refresh token for new tokens (RFC 6749, section 6). A narrower scope is that of the access token alone: the new
 * refresh token stands for the whole grant again. It works once: a second use ends the whole grant, since then somebody has a
 * copy (RFC 9700, section 4.14.2).
 * @throws INVALID_GRANT, INVALID_SCOPE, and INVALID_CLIENT when the client is deleted meanwhile
 */
export async function refreshTokens(call: CallContext, client: Client, input: RefreshInput): Promise<IssuedTokens> {
  const hash = hashSecret(input.refreshToken);
  const token = await call.read.oAuthToken.findUnique({ where: { hash }, include: { grant: true } });
  // The grant is read by a statement of its own, and may have ended in between.
  if (token?.kind !== 'REFRESH' || token.grant?.applicationId !== client.application.id) throw invalid();
  if (token.usedAt) return refuseReuse(call, token.grant);
  if (token.expiresAt.getTime() <= call.clock.now()) throw invalid();
  const scopes = narrowed(input.scope, storedScopes(token.grant.scopes));

  const issued = await writeForClient(call, client, async (write) => {
    const { count } = await write.db.oAuthToken.updateMany({
      where: { hash, usedAt: null },
      data: { usedAt: new Date(call.clock.now()) },
    });
    if (count === 0) return null;
    await removeExpiredTokens(call, write.db, token.grant);
    return issueTokens(call, write, token.grant, { refresh: true, scopes });
  });
  return issued ?? refuseReuse(call, token.grant);
}

/** What is asked for of the granted scopes; nothing asked for is all of them. @throws INVALID_SCOPE */
function narrowed(scope: string | undefined, granted: readonly Scope[]): Scope[] {
  const wanted = scope === undefined ? granted : parseScope(scope);
  const beyond = wanted.filter((name) => !granted.includes(name));
  if (beyond.length === 0) return granted.filter((name) => wanted.includes(name));
  throw new DomainError('INVALID_SCOPE', `The requested scope goes beyond what was granted: ${beyond.join(' ')}.`);
}

async function refuseReuse(call: CallContext, grant: OAuthGrant): Promise<never> {
  await endGrant(call, grant);
  throw invalid();
}

function invalid(): DomainError {
  return new DomainError('INVALID_GRANT', 'Invalid "refresh_token" in request.');
}
