import type { Installation, Transaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { type Scope, storedScopes } from './scopes.js';

/** What an application is installed to a guild with. */
interface ServerGrant {
  applicationId: bigint;
  guildId: bigint;
  installerId: bigint;
  scopes: readonly Scope[];
  /** Of the bot; null for an installation without it, which leaves an earlier one's as they are. */
  permissions: bigint | null;
}

/** An application's installation to a guild as it was written. */
interface WrittenInstallation {
  installation: Installation;
  /** As it was before; null for a new one. */
  earlier: Installation | null;
  /** Those of the earlier one among them. */
  scopes: Scope[];
}

/** Writes an application's installation to a guild, or adds to the one that is there. */
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
