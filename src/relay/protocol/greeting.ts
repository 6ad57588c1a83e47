/** Time limit of each message in the greeting (docs/relay.md, R-10). */
export const GREETING_MS = 10_000;

/**
 * The text that a box signs.
 * @param nonce in base64url
 * @param key in base64url
 * @param origin the cloud's own
 */
export function signedText(nonce: string, key: string, origin: string): string {
  return ['causeway relay 1', nonce, key, origin].join('\n');
}
