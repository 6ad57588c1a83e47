import { hashSecret } from '../../infra/crypto/secrets.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import type { Client } from './clients.js';

/**
 * Revokes all grants of the token's user to the application (RFC 7009; Discord's documentation, OAuth2). Ignores
 * unknown tokens and those of other clients.
 */
export async function revokeToken(call: CallContext, client: Client, token: string): Promise<void> {
  const found = await call.read.oAuthToken.findUnique({
    where: { hash: hashSecret(token) },
    select: { grant: { select: { applicationId: true, userId: true } } },
  });
  // Loaded separately, the grant may be deleted already.
  if (found?.grant?.applicationId !== client.application.id) return;
  const { applicationId, userId } = found.grant;
  const revoke = async ({ db, audit }: Write) => {
    const { count } = await db.oAuthGrant.deleteMany({ where: { applicationId, userId } });
    if (count > 0) await audit({ action: 'OAUTH_REVOKE', applicationId, targetId: userId });
  };
  await call.write(revoke, { streams: [topics.application(applicationId)] });
}
