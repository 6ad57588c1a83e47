import { z } from 'zod';
import type { Application } from '../../infra/database/index.js';
import { createSigningKeys } from '../../infra/keys.js';
import { type CallContext, requirePerson } from '../call.js';
import { nameText, trimmedText } from '../input.js';
import { limits } from '../limits.js';
import { newBotToken, newClientSecret } from './new-secrets.js';

/** What is said of an application when it is made. */
export const NewApplication = z.object({
  name: nameText(limits.applicationName.min, limits.applicationName.max),
  description: trimmedText(0, limits.applicationDescription).nullish(),
});

/** The scopes a new application asks for when it is installed to a server. */
const DEFAULT_SCOPES = ['bot', 'applications.commands'];

/**
 * Makes an application with its bot user, keys and secrets, owned by the caller.
 * @returns the application, and both secrets, which are never shown again
 * @throws UNAUTHENTICATED
 */
export async function createApplication(
  call: CallContext,
  { name, description }: z.output<typeof NewApplication>,
): Promise<{ application: Application; clientSecret: string; botToken: string }> {
  const owner = requirePerson(call);
  const id = call.nextId();
  const clientSecret = newClientSecret(call);
  const botToken = newBotToken(call, id);
  const application = await call.write(async ({ db, audit }) => {
    await db.user.create({ data: { id, username: name, bot: true } });
    const created = await db.application.create({
      data: {
        id,
        name,
        description: description ?? '',
        ...createSigningKeys(),
        ...clientSecret.columns,
        ...botToken.columns,
        serverInstallScopes: DEFAULT_SCOPES,
        userInstallScopes: ['applications.commands'],
        redirectUris: [],
        ownerUserId: owner.user.id,
      },
    });
    await audit({ action: 'APPLICATION_CREATE', applicationId: id, targetId: id, changes: { name } });
    return created;
  });
  return { application, clientSecret: clientSecret.secret, botToken: botToken.token };
}
