import { hashSecret } from '../../infra/crypto/secrets.js';
import type { AuthorizationCode, OAuthGrant } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { type Client, writeForClient } from './clients.js';
import { verifierFits } from './pkce.js';
import { registeredUris } from './redirect-uris.js';
import { endGrant, guildOfGrant, type IssuedTokens, issueTokens } from './tokens.js';

export interface RedeemCodeInput {
  code: string;
  redirectUri: string | undefined;
  codeVerifier: string | undefined;
}

type CodeWithGrant = AuthorizationCode & { grant: OAuthGrant };

/**
 * RFC 6749, section 4.1.3. One of several concurrent redemptions succeeds. A second use ends the grant, since the code
 * may be stolen (section 4.1.2).
 * @throws INVALID_GRANT, INVALID_CLIENT if the client is deleted concurrently
 */
export async function redeemCode(call: CallContext, client: Client, input: RedeemCodeInput): Promise<IssuedTokens> {
  const hash = hashSecret(input.code);
  const code = await call.read.authorizationCode.findUnique({ where: { hash }, include: { grant: true } });
  // Loaded separately, the grant may be deleted already.
  if (code?.grant?.applicationId !== client.application.id) throw invalid('code');
  if (code.usedAt) return refuseReuse(call, code);
  if (code.expiresAt.getTime() <= call.clock.now()) throw invalid('code');
  if (!redirectUriFits(client, code, input.redirectUri)) throw invalid('redirect_uri');
  if (!verifierFits(input.codeVerifier, code.codeChallenge)) throw invalid('code_verifier');
  if (client.byType === 'public' && code.codeChallenge === null) throw invalid('code_verifier');

  // Read first, so that an error does not use up the code.
  const guild = await guildOfGrant(call, code.grant.guildId);
  const issued = await writeForClient(call, client, async (write) => {
    const { count } = await write.db.authorizationCode.updateMany({
      where: { hash, usedAt: null },
      data: { usedAt: new Date(call.clock.now()) },
    });
    return count === 1 ? issueTokens(call, write, code.grant, { refresh: true }) : null;
  });
  if (!issued) return refuseReuse(call, code);
  return { ...issued, guild };
}

/** Must equal the authorization's redirect URI, or may be missing if that was. */
function redirectUriFits(client: Client, code: AuthorizationCode, given: string | undefined): boolean {
  if (code.redirectUri !== null) return given === code.redirectUri;
  return given === undefined || given === registeredUris(client.application)[0];
}

async function refuseReuse(call: CallContext, code: CodeWithGrant): Promise<never> {
  await endGrant(call, code.grant);
  throw invalid('code');
}

function invalid(field: string): DomainError {
  return new DomainError('INVALID_GRANT', `Invalid "${field}" in request.`);
}
