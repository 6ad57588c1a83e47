import { randomToken } from '../../infra/crypto/secrets.js';

/** Secret scanners recognise tokens by it. */
const PREFIX = 'cw_pat_';

const SECRET_BYTES = 32;

export function makePersonalToken(): string {
  return PREFIX + randomToken(SECRET_BYTES);
}

export function isPersonalToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

export function personalTokenHint({ last4 }: { last4: string }): string {
  return `${PREFIX}…${last4}`;
}
