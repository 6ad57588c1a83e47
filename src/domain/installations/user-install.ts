import type { Application, Installation, User } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { type Scope, storedScopes } from './scopes.js';

/**
 * Returns the function that writes the installation.
 * @throws FORBIDDEN if the application does not support user installations
 */
export function planUserInstall(
  call: CallContext,
  application: Application,
  user: User,
  scopes: Scope[],
): (write: Write) => Promise<Installation> {
  if (!application.userInstall) {
    throw new DomainError(
      'FORBIDDEN',
      'This application does not support user installs. Install it in a server instead.',
    );
  }
  return (write) => putInstallation(call, write, application.id, user.id, scopes);
}

async function putInstallation(
  call: CallContext,
  { db, audit, record }: Write,
  applicationId: bigint,
  userId: bigint,
  granted: Scope[],
): Promise<Installation> {
  const where = { applicationId_userId: { applicationId, userId } };
  const earlier = await db.installation.findUnique({ where });
  const scopes = [...new Set([...storedScopes(earlier?.scopes), ...granted])];
  const installation = earlier
    ? await db.installation.update({ where, data: { scopes } })
    : await db.installation.create({
        data: { id: call.nextId(), applicationId, context: 'USER', userId, installerId: userId, scopes },
      });
  record({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
  await audit({ action: 'INSTALLATION_PUT', applicationId, targetId: installation.id, changes: { scopes } });
  return installation;
}
