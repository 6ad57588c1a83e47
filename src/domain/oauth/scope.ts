import { DomainError } from '../errors.js';
import { HONOURED_SCOPES, type Scope } from '../installations/scopes.js';

const RESERVED = new Map([['messages.read', 'messages.read is reserved and cannot be requested.']]);

const isHonoured = (name: string): name is Scope => (HONOURED_SCOPES as readonly string[]).includes(name);

/** @throws INVALID_SCOPE if the list is empty or has an unsupported name */
export function parseScope(text: string): Scope[] {
  const names = [...new Set(text.split(/[ +]/).filter((name) => name !== ''))];
  if (names.length === 0) throw new DomainError('INVALID_SCOPE', 'At least one scope is required.');
  const [refused] = names.filter((name) => !isHonoured(name));
  if (refused !== undefined) throw new DomainError('INVALID_SCOPE', RESERVED.get(refused) ?? unknownScope(refused));
  return names.filter(isHonoured);
}

/** Includes a name that `error_description` may contain (RFC 6749, section 3.3). */
function unknownScope(name: string): string {
  const fault = 'The requested scope is invalid, unknown, or malformed';
  return /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(name) ? `${fault}: ${name}.` : `${fault}.`;
}
