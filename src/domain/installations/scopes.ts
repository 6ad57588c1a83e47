import { z } from 'zod';
import { storedStrings } from '../../infra/database/stored.js';
import { fault } from '../input.js';

/** The scopes this service honours. `messages.read` is reserved and refused like an unknown one. */
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

/** Scopes of an installation: each of them honoured and stated once, at least one of them installing something. */
export function installScopes() {
  return z
    .array(z.enum(HONOURED_SCOPES))
    .max(HONOURED_SCOPES.length * 2)
    .transform((scopes) => [...new Set(scopes)])
    .refine(
      (scopes) => scopes.includes('bot') || scopes.includes('applications.commands'),
      fault('BASE_TYPE_INVALID', 'An installation needs the scope bot or applications.commands.'),
    );
}

/** The honoured scopes in a stored column, in the order above. */
export function storedScopes(value: unknown): Scope[] {
  const names = storedStrings(value);
  return HONOURED_SCOPES.filter((scope) => names.includes(scope));
}
