import { hashSecret } from '../../infra/secrets.js';
import type { CallContext } from '../call.js';
import type { Client } from './clients.js';

/**
 * Revokes a token (RFC 7009), and with it everything the same person granted the same application (Discord's documentation, OAuth2). An
 * unknown token and one of another client are left as they are, without a word about it.
 */
export async function revokeToken(call: CallContext, client: Client, token: string): Promise<void> {
  const found = await call.read.oAuthToken.findUnique({
    where: { hash: hashSecret(token) },
    select: { grant: { select: { applicationId: true, userId: true } } },
  });
  // The grant is read by a statement of its own, and may have ended in between.
  if (found?.grant?.applicationId !== client.application.id) return;
  const { applicationId, userId } = found.grant;
  await call.write(async ({ db, audit }) => {
    const { count } = await db.oAuthGrant.deleteMany({ where: { applicationId, userId } });
    if (count > 0) await audit({ action: 'OAUTH_REVOKE', applicationId, targetId: userId });
  });
}
