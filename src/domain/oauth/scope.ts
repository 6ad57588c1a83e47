import { DomainError } from '../errors.js';
import { HONOURED_SCOPES, type Scope } from '../installations/scopes.js';

/** Why a scope that exists is refused. */
const RESERVED = new Map([['messages.read', 'messages.read is reserved and cannot be requested.']]);

const isHonoured = (name: string): name is Scope => (HONOURED_SCOPES as readonly string[]).includes(name);

/**
 * Reads a `scope` parameter: names with spaces between, each kept once.
 * @throws INVALID_SCOPE for none at all, and for a name that is not honoured
 */
export function parseScope(text: string): Scope[] {
  const names = [...new Set(text.split(/[ +]/).filter((name) => name !== ''))];
  if (names.length === 0) throw new DomainError('INVALID_SCOPE', 'At least one scope is needed.');
  const [refused] = names.filter((name) => !isHonoured(name));
  if (refused !== undefined) throw new DomainError('INVALID_SCOPE', RESERVED.get(refused) ?? unknownScope(refused));
  return names.filter(isHonoured);
}

/** A name is repeated where it can be one (RFC 6749, section 3.3), so that `error_description` can hold it. */
function unknownScope(name: string): string {
  const fault = 'The requested scope is invalid, unknown, or malformed';
  return /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(name) ? `${fault}: ${name}.` : `${fault}.`;
}
