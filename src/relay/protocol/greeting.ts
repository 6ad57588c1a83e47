/** How long each message of the greeting is waited for, in milliseconds (docs/relay.md, R-10). */
export const GREETING_MS = 10_000;

/**
 * What a box signs.
 * @param nonce of the cloud, and `key` of the box, both in base64url
 * @param origin that the cloud calls its own
 */
export function signedText(nonce: string, key: string, origin: string): string {
  return ['causeway relay 1', nonce, key, origin].join('\n');
}
