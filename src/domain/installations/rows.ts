import type { Installation, Transaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { type Scope, storedScopes } from './scopes.js';

interface ServerGrant {
  applicationId: bigint;
  guildId: bigint;
  installerId: bigint;
  scopes: readonly Scope[];
  /** Null for an installation without a bot, which keeps the previous permissions. */
  permissions: bigint | null;
}

interface WrittenInstallation {
  installation: Installation;
  /** Null for a new installation. */
  earlier: Installation | null;
  /** Includes the earlier installation's scopes. */
  scopes: Scope[];
}

export async function putServerInstallation(
  call: CallContext,
  db: Transaction,
  { applicationId, guildId, installerId, ...grant }: ServerGrant,
): Promise<WrittenInstallation> {
  const where = { applicationId_guildId: { applicationId, guildId } };
  const earlier = await db.installation.findUnique({ where });
  const scopes = [...new Set([...storedScopes(earlier?.scopes), ...grant.scopes])];
  const permissions = grant.permissions === null ? (earlier?.permissions ?? '0') : String(grant.permissions);
  const facts = { scopes, permissions, installerId };
  const installation = earlier
    ? await db.installation.update({ where, data: facts })
    : await db.installation.create({
        data: { id: call.nextId(), applicationId, context: 'SERVER', guildId, ...facts },
      });
  return { installation, earlier, scopes };
}
