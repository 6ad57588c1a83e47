import { hashSecret } from '../../infra/crypto/secrets.js';
import type { OAuthGrant } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { type Scope, storedScopes } from '../installations/scopes.js';
import { type Client, writeForClient } from './clients.js';
import { parseScope } from './scope.js';
import { endGrant, type IssuedTokens, issueTokens, removeExpiredTokens } from './tokens.js';

export interface RefreshInput {
  refreshToken: string;
  /** Space-separated scopes of the access token; the whole grant if undefined. */
  scope: string | undefined;
}

/**
 * RFC 6749, section 6. A narrower scope limits only the access token. A second use ends the grant, since the token may
 * be stolen (RFC 9700, section 4.14.2).
 * @throws INVALID_GRANT, INVALID_SCOPE, INVALID_CLIENT if the client is deleted concurrently
 */
export async function refreshTokens(call: CallContext, client: Client, input: RefreshInput): Promise<IssuedTokens> {
  const hash = hashSecret(input.refreshToken);
  const token = await call.read.oAuthToken.findUnique({ where: { hash }, include: { grant: true } });
  // Loaded separately, the grant may be deleted already.
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

/** @throws INVALID_SCOPE for a scope that was not granted */
function narrowed(scope: string | undefined, granted: readonly Scope[]): Scope[] {
  const wanted = scope === undefined ? granted : parseScope(scope);
  const beyond = wanted.filter((name) => !granted.includes(name));
  if (beyond.length === 0) return granted.filter((name) => wanted.includes(name));
  throw new DomainError('INVALID_SCOPE', `The requested scope exceeds the granted scope: ${beyond.join(' ')}.`);
}

async function refuseReuse(call: CallContext, grant: OAuthGrant): Promise<never> {
  await endGrant(call, grant);
  throw invalid();
}

function invalid(): DomainError {
  return new DomainError('INVALID_GRANT', 'Invalid "refresh_token" in request.');
}
