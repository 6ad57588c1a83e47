import { z } from 'zod';
import { fault } from '../input.js';
import { limits } from '../limits.js';
import { permissionString } from '../permissions.js';

/** Service description, section 2. Unsupported scopes are stored but ignored. */
export function serverInstallScopes() {
  const scope = z
    .string()
    .refine(
      (name) => /^[a-z0-9._-]+$/.test(name) && name.length <= limits.scopeLength,
      fault('STRING_TYPE_REGEX', 'Scopes can contain only a–z, 0–9, dots, underscores and hyphens.'),
    );
  return z
    .array(scope)
    .transform((names) => [...new Set(names)])
    .refine(
      (names) => names.length <= limits.installScopes,
      fault('BASE_TYPE_BAD_LENGTH', `Must be ${limits.installScopes} or fewer in length.`),
    );
}

export function userInstallScopes() {
  return serverInstallScopes().refine(
    (names) => !names.includes('bot'),
    fault('BASE_TYPE_INVALID', 'The bot scope is only available for server installs.'),
  );
}

/** Omitted permissions stay unchanged. */
const ServerSettings = z.object({
  context: z.literal('SERVER'),
  scopes: serverInstallScopes(),
  permissions: permissionString().nullish(),
});

const UserSettings = z.object({
  context: z.literal('USER'),
  scopes: userInstallScopes(),
  permissions: z
    .string()
    .nullish()
    .refine(
      (bits) => typeof bits !== 'string',
      fault('BASE_TYPE_INVALID', 'Permissions are only available for server installs. Remove this field.'),
    ),
});

export function installSettings() {
  return z
    .array(z.discriminatedUnion('context', [ServerSettings, UserSettings]))
    .refine(
      (settings) => new Set(settings.map(({ context }) => context)).size === settings.length,
      fault('BASE_TYPE_INVALID', 'Each context can be listed only once.'),
    );
}

interface InstallSettingsColumns {
  serverInstallScopes?: string[];
  serverInstallPermissions?: string;
  userInstallScopes?: string[];
}

export function installSettingsColumns(settings: z.output<ReturnType<typeof installSettings>>): InstallSettingsColumns {
  const columns: InstallSettingsColumns = {};
  for (const { context, scopes, permissions } of settings) {
    if (context === 'USER') columns.userInstallScopes = scopes;
    else columns.serverInstallScopes = scopes;
    if (permissions) columns.serverInstallPermissions = permissions;
  }
  return columns;
}
