import { MAX_ID } from '../../infra/ids.js';
import { hashSecret, randomToken } from '../../infra/secrets.js';

/** Random bytes of a token. */
const RANDOM_BYTES = 96;

/** No token is longer, in characters. */
const MAX_LENGTH = 300;

/** A new token of an interaction: base64url of `interaction:{id}:{random}`, so that its row is found without a search for it. */
export function makeInteractionToken(id: bigint): { token: string; hash: string } {
  const token = Buffer.from(`interaction:${id}:${randomToken(RANDOM_BYTES)}`).toString('base64url');
  return { token, hash: hashSecret(token) };
}

/** Whose token this says it is; null for text that is no token of an interaction. */
export function interactionOfToken(token: string): bigint | null {
  if (token.length > MAX_LENGTH || !/^[\w-]+$/.test(token)) return null;
  const [, id] = /^interaction:(\d{1,19}):[\w-]+$/.exec(Buffer.from(token, 'base64url').toString('latin1')) ?? [];
  if (id === undefined) return null;
  const number = BigInt(id);
  return number <= MAX_ID ? number : null;
}
