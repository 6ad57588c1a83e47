import { hashSecret, randomToken } from '../../../infra/crypto/secrets.js';
import { MAX_ID } from '../../../infra/ids/ids.js';

const RANDOM_BYTES = 96;

/** In characters. */
const MAX_LENGTH = 300;

/** Base64url of `interaction:{id}:{random}`, so that the row is found by its id. */
export function makeInteractionToken(id: bigint): { token: string; hash: string } {
  const token = Buffer.from(`interaction:${id}:${randomToken(RANDOM_BYTES)}`).toString('base64url');
  return { token, hash: hashSecret(token) };
}

/** Does not verify the token. Null if the text is not an interaction token. */
export function interactionOfToken(token: string): bigint | null {
  if (token.length > MAX_LENGTH || !/^[\w-]+$/.test(token)) return null;
  const [, id] = /^interaction:(\d{1,19}):[\w-]+$/.exec(Buffer.from(token, 'base64url').toString('latin1')) ?? [];
  if (id === undefined) return null;
  const number = BigInt(id);
  return number <= MAX_ID ? number : null;
}
