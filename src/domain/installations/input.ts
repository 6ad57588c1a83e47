import { z } from 'zod';
import { fault } from '../input.js';
import { permissionText } from '../permissions.js';
import { installScopes } from './scopes.js';

/** `permissions` default to those that the application requests. */
export const ServerInstall = z.object({ scopes: installScopes(), permissions: permissionText().nullish() });

export type ServerInstall = z.output<typeof ServerInstall>;

/** A user installation has no bot, and thus no permissions. */
export const UserInstall = z.object({
  scopes: installScopes().refine(
    (scopes) => !scopes.includes('bot'),
    fault('BASE_TYPE_INVALID', 'The bot scope is only available for server installs.'),
  ),
  permissions: permissionText()
    .nullish()
    .refine((bits) => !bits, fault('BASE_TYPE_INVALID', 'Permissions are only available for server installs.')),
});
