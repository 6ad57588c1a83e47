import { hashSecret, randomToken } from '../../infra/crypto/secrets.js';
import { limits } from '../limits.js';

/** Lets people and secret scanners recognise the token. */
const PREFIX = 'cwbox_';

/** @param now milliseconds since the Unix epoch */
export function createEnrolmentToken(now: number) {
  const token = `${PREFIX}${randomToken(32)}`;
  const tokenEndsAt = new Date(now + limits.enrolmentTokenAge * 1_000);
  return { token, columns: { tokenHash: hashSecret(token), tokenEndsAt } };
}
