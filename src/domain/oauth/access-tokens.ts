import { hashSecret } from '../../infra/crypto/secrets.js';
import type { Reader } from '../../infra/database/index.js';
import type { Actor } from '../call.js';
import { storedScopes } from '../installations/scopes.js';

const GRANT_PARTS = {
  user: { include: { account: { select: { suspendedAt: true } } } },
  application: { select: { deletedAt: true, suspendedAt: true } },
} as const;

/** Null if the token is unknown or expired, or its person or application is deleted or suspended. */
export async function findTokenActor(
  read: Reader,
  now: number,
  token: string,
): Promise<Extract<Actor, { kind: 'token' }> | null> {
  const found = await read.oAuthToken.findUnique({
    where: { hash: hashSecret(token) },
    include: { grant: { include: GRANT_PARTS } },
  });
  // Loaded separately, the grant may be deleted already.
  if (found?.kind !== 'ACCESS' || found.expiresAt.getTime() <= now || !found.grant) return null;
  const { grant } = found;
  if (grant.user?.deletedAt !== null || grant.application?.deletedAt !== null) return null;
  const { account, ...user } = grant.user;
  if (account?.suspendedAt != null || grant.application.suspendedAt !== null) return null;
  return {
    kind: 'token',
    user,
    applicationId: grant.applicationId,
    scopes: storedScopes(found.scopes ?? grant.scopes),
    expiresAt: found.expiresAt,
    clientCredentials: grant.clientCredentials,
  };
}
