import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isS256Challenge, verifierFits } from '../../../src/domain/oauth/pkce.js';

const UNRESERVED = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'];
const verifier = fc.string({ unit: fc.constantFrom(...UNRESERVED), minLength: 43, maxLength: 128 });
const s256 = (text: string) => createHash('sha256').update(text).digest('base64url');

test('a verifier matches its own challenge, and no other (RFC 7636, section 4.6)', () => {
  fc.assert(
    fc.property(verifier, verifier, (one, other) => {
      expect(isS256Challenge(s256(one))).toBe(true);
      expect(verifierFits(one, s256(one))).toBe(true);
      expect(verifierFits(other, s256(one))).toBe(other === one);
      expect(verifierFits(undefined, s256(one))).toBe(false);
      expect(verifierFits(one, null)).toBe(false);
    }),
  );
});

test('the example of RFC 7636, appendix B, matches', () => {
  const example = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  expect(verifierFits(example, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')).toBe(true);
});

test('no verifier is needed without a challenge', () => {
  expect(verifierFits(undefined, null)).toBe(true);
  expect(verifierFits('', null)).toBe(false);
});

test.each([
  ['42 characters', 'x'.repeat(42), false],
  ['43 characters', 'x'.repeat(43), true],
  ['128 characters', 'x'.repeat(128), true],
  ['129 characters', 'x'.repeat(129), false],
  ['a character that is not unreserved', `${'x'.repeat(43)}+`, false],
  ['a line end after it', `${'x'.repeat(43)}\n`, false],
])('a verifier of %s matches its hash: %s', (_name, text, fits) => {
  expect(verifierFits(text, s256(text))).toBe(fits);
});

test.each([
  ['', false],
  ['x'.repeat(42), false],
  ['x'.repeat(43), true],
  ['x'.repeat(44), false],
  [`${'x'.repeat(42)}=`, false],
  [`${'x'.repeat(42)}+`, false],
  [`${'-_'.repeat(21)}x`, true],
])('%s is a valid challenge: %s', (text, expected) => {
  expect(isS256Challenge(text)).toBe(expected);
});

test('a challenge of another length matches no verifier', () => {
  expect(verifierFits('x'.repeat(43), s256('x'.repeat(43)).slice(1))).toBe(false);
});
