import { hashSecret, randomToken } from '../../infra/secrets.js';
import { limits } from '../limits.js';

/** What an enrolment token begins with, so that people and scanners for secrets recognise it. */
const PREFIX = 'cwbox_';

/**
 * A new enrolment token, to be shown once, and what is kept of it.
 * @param now milliseconds since the Unix epoch
 */
export function createEnrolmentToken(now: number) {
  const token = `${PREFIX}${randomToken(32)}`;
  const tokenEndsAt = new Date(now + limits.enrolmentTokenAge * 1_000);
  return { token, columns: { tokenHash: hashSecret(token), tokenEndsAt } };
}
