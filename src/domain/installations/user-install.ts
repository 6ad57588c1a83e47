import { z } from 'zod';
import type { Application, Installation, User } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { fault, parseInput } from '../input.js';
import { permissionText } from '../permissions.js';
import { installScopes, type Scope, storedScopes } from './scopes.js';

/** What a person may grant for themselves: there is no bot in it, and so no permissions. */
const Grant = z.object({
  scopes: installScopes().refine(
    (scopes) => !scopes.includes('bot'),
    fault('BASE_TYPE_INVALID', 'The scope bot is for server installs only.'),
  ),
  permissions: permissionText()
    .optional()
    .refine((bits) => !bits, fault('BASE_TYPE_INVALID', 'Permissions are for server installs only.')),
});

interface UserInstall {
  scopes: readonly string[];
  permissions?: string | undefined;
}

/**
 * Checks an installation to `user` and says how it is written.
 * @throws FORBIDDEN when the application does not install to people, INVALID_INPUT
 */
export function planUserInstall(
  call: CallContext,
  application: Application,
  user: User,
  { scopes, permissions }: UserInstall,
): (write: Write) => Promise<Installation> {
  if (!application.userInstall) {
    throw new DomainError('FORBIDDEN', 'This application cannot be installed to people, only to servers.');
  }
  const grant = parseInput(Grant, { scopes, permissions });
  return (write) => putInstallation(call, write, application.id, user.id, grant.scopes);
}

async function putInstallation(
  call: CallContext,
  { db, audit }: Write,
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
  await audit({ action: 'INSTALLATION_PUT', applicationId, targetId: installation.id, changes: { scopes } });
  return installation;
}
