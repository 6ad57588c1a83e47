import { z } from 'zod';
import { fault } from '../input.js';
import { permissionText } from '../permissions.js';
import { installScopes } from './scopes.js';

/** What is asked for in a server, in a caller's input: `permissions` are the application's own wish when not given. */
export const ServerInstall = z.object({ scopes: installScopes(), permissions: permissionText().nullish() });

export type ServerInstall = z.output<typeof ServerInstall>;

/** What a person may grant for themselves: there is no bot in it, and so no permissions. */
export const UserInstall = z.object({
  scopes: installScopes().refine(
    (scopes) => !scopes.includes('bot'),
    fault('BASE_TYPE_INVALID', 'The scope bot is for server installs only.'),
  ),
  permissions: permissionText()
    .nullish()
    .refine((bits) => !bits, fault('BASE_TYPE_INVALID', 'Permissions are for server installs only.')),
});
