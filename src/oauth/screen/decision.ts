import { DomainError } from '../../domain/errors.js';
import type { AuthorizationRequest, InstallableGuild, InstallTarget } from '../../domain/oauth/index.js';
import { isPermissionString, parsePermissions } from '../../domain/permissions.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import { formValue } from '../form.js';

export interface Choice {
  target: InstallTarget | null;
  guildId: bigint | null;
  scopes: string[];
  permissions: bigint;
}

/** Preselects everything requested, for an available target. */
export function firstChoice(request: AuthorizationRequest, guilds: InstallableGuild[]): Choice {
  const [first = null] = request.targets;
  const toServer = first === 'SERVER' && (guilds.length > 0 || request.targets.length === 1);
  return {
    target: toServer ? 'SERVER' : (request.targets.at(-1) ?? null),
    guildId: request.guildId,
    scopes: [...request.scopes.SERVER, ...request.scopes.USER],
    permissions: request.permissions,
  };
}

/**
 * Malformed permissions and IDs count as not sent.
 * @throws INVALID_REQUEST for an unknown decision or a repeated parameter
 */
export function readChoice(form: URLSearchParams): Choice | 'cancel' {
  const decision = formValue(form, 'decision');
  if (decision === 'cancel') return 'cancel';
  if (decision !== 'authorize') throw new DomainError('INVALID_REQUEST', 'The decision must be authorize or cancel.');
  return {
    target: readTarget(formValue(form, 'target')),
    guildId: parseSnowflake(formValue(form, 'guild_id') ?? '') ?? null,
    scopes: form.getAll('scopes'),
    permissions: form
      .getAll('permissions')
      .filter(isPermissionString)
      .reduce((all, bits) => all | parsePermissions(bits), 0n),
  };
}

function readTarget(text: string | undefined): InstallTarget | null {
  return text === 'SERVER' || text === 'USER' ? text : null;
}

/** `whole` is for the whole form. */
export type Faults = Partial<Record<'target' | 'guildId' | 'scopes' | 'permissions' | 'whole', string>>;

export function explain(error: DomainError): Faults {
  switch (error.code) {
    case 'INVALID_INPUT':
      return explainFields(error);
    case 'UNKNOWN_GUILD':
    case 'MISSING_ACCESS':
      return { guildId: 'You are not in that server, or it does not exist.' };
    case 'MISSING_PERMISSIONS':
      return { guildId: 'You need the “Manage server” permission in that server.' };
    default:
      return { whole: error.message };
  }
}

function explainFields({ fields, message }: DomainError): Faults {
  const faults: Faults = {};
  for (const { path, message: text } of fields) {
    if (path === 'target' || path === 'guildId' || path === 'scopes' || path === 'permissions') faults[path] ??= text;
    else faults.whole ??= text;
  }
  return fields.length === 0 ? { whole: message } : faults;
}
