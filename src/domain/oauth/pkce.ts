import { createHash, timingSafeEqual } from 'node:crypto';

/** RFC 7636, section 4.1. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

export function isS256Challenge(text: string): boolean {
  return S256_CHALLENGE.test(text);
}

/**
 * Refuses a verifier without a challenge (RFC 7636, section 4.6), because an attacker may have removed the challenge
 * from the request (RFC 9700, section 4.8.2).
 */
export function verifierFits(verifier: string | undefined, challenge: string | null): boolean {
  if (challenge === null) return verifier === undefined;
  if (verifier === undefined || !VERIFIER.test(verifier)) return false;
  const expected = Buffer.from(challenge);
  const given = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  return expected.length === given.length && timingSafeEqual(expected, given);
}
