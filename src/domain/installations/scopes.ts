import { z } from 'zod';
import { storedStrings } from '../../infra/database/stored.js';
import { fault } from '../input.js';

/** Supported scopes. `messages.read` is reserved and refused like an unknown scope. */
export const HONOURED_SCOPES = [
  'identify',
  'email',
  'guilds',
  'guilds.join',
  'bot',
  'applications.commands',
  'applications.commands.permissions.update',
] as const;

export type Scope = (typeof HONOURED_SCOPES)[number];

export function installScopes() {
  return z
    .array(z.enum(HONOURED_SCOPES))
    .max(HONOURED_SCOPES.length * 2)
    .transform((scopes) => [...new Set(scopes)])
    .refine(
      (scopes) => scopes.includes('bot') || scopes.includes('applications.commands'),
      fault('BASE_TYPE_INVALID', 'An installation requires the bot or applications.commands scope.'),
    );
}

/** A stored column's supported scopes, in the order above. */
export function storedScopes(value: unknown): Scope[] {
  const names = storedStrings(value);
  return HONOURED_SCOPES.filter((scope) => names.includes(scope));
}
