import { DomainError } from '../domain/errors.js';
import type { ClientCredentials } from '../domain/oauth/index.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import { formValue } from './form.js';

/**
 * Accepts HTTP Basic or form parameters, but not two secrets (RFC 6749, section 2.3.1).
 * @throws INVALID_CLIENT, INVALID_REQUEST
 */
export function readClientCredentials(authorization: string | undefined, form: URLSearchParams): ClientCredentials {
  const id = formValue(form, 'client_id');
  const secret = formValue(form, 'client_secret');
  if (authorization === undefined) return credentials(id, secret);
  const basic = readBasic(authorization);
  if (secret !== undefined || (id !== undefined && id !== basic.id)) {
    throw new DomainError(
      'INVALID_REQUEST',
      'Send the client credentials only once: in the Authorization header or in the form.',
    );
  }
  return credentials(basic.id, basic.secret);
}

function credentials(id: string | undefined, secret: string | undefined): ClientCredentials {
  const clientId = parseSnowflake(id ?? '');
  if (clientId === undefined) {
    throw new DomainError('INVALID_CLIENT');
  }
  return { clientId, clientSecret: secret };
}

function readBasic(authorization: string): { id: string; secret: string } {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization.trim()) ?? [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1)
    throw new DomainError(
      'INVALID_CLIENT',
      'The Authorization header must use HTTP Basic with the client ID and client secret.',
    );
  return { id: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) };
}

/** Both parts are form-encoded (RFC 6749, section 2.3.1). Undecodable text is used unchanged. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
