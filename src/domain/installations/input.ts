import { z } from 'zod';
import { fault } from '../input.js';
import { permissionText } from '../permissions.js';
import { installScopes } from './scopes.js';

/** Null or omitted `permissions` default to those the application requests. */
export const ServerInstall = z.object({ scopes: installScopes(), permissions: permissionText().nullish() });

export type ServerInstall = z.output<typeof ServerInstall>;

/** A user installation has no bot, and therefore no permissions. */
export const UserInstall = z.object({
  scopes: installScopes().refine(
    (scopes) => !scopes.includes('bot'),
    fault('BASE_TYPE_INVALID', 'The bot scope is only available for server installs.'),
  ),
  permissions: permissionText()
    .nullish()
    .refine((bits) => !bits, fault('BASE_TYPE_INVALID', 'Permissions are only available for server installs.')),
});
