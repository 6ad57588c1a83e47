import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interactionOfToken, makeInteractionToken } from '../../../../src/domain/interactions/responses/tokens.js';
import { hashSecret } from '../../../../src/infra/crypto/secrets.js';
import { MAX_ID } from '../../../../src/infra/ids/ids.js';

const encode = (text: string) => Buffer.from(text).toString('base64url');

describe('an interaction token', () => {
  it('I-7: contains its interaction id, and cannot be guessed', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_ID }), (id) => {
        const { token, hash } = makeInteractionToken(id);
        expect(interactionOfToken(token)).toBe(id);
        expect(hash).toBe(hashSecret(token));
        expect(hash).not.toContain(token);
        expect(makeInteractionToken(id).token).not.toBe(token);
      }),
    );
  });

  it('I-7: fits into a URL, and has more than 256 bits of randomness', () => {
    const { token } = makeInteractionToken(MAX_ID);
    expect(token).toMatch(/^[\w-]{100,300}$/);
  });

  it.each([
    ['', 'nothing'],
    ['interaction:5:abc', 'no base64url'],
    [encode('webhook:5:abc'), 'of something else'],
    [encode('interaction:x:abc'), 'of no id'],
    [encode('interaction::abc'), 'of an empty id'],
    [encode('interaction:5:'), 'without chance'],
    [encode('interaction:5:a b'), 'with a blank'],
    [encode('interaction:-5:abc'), 'of a negative id'],
    [encode(`interaction:${MAX_ID + 1n}:abc`), 'of an id that is too large'],
    [encode(`interaction:${'9'.repeat(20)}:abc`), 'of an id of 20 digits'],
    [encode(`interaction:5:${'a'.repeat(300)}`), 'of more than 300 characters'],
    [`${encode('interaction:5:abc')}=`, 'with padding'],
    [`${encode('interaction:5:abc')}/../x`, 'with a path'],
  ])('I-21: %s is invalid (%s)', (token) => {
    expect(interactionOfToken(token)).toBeNull();
  });

  it('I-21: is read from any text without an exception', () => {
    const any = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.base64String(), fc.string().map(encode));
    fc.assert(
      fc.property(any, (text) => {
        const id = interactionOfToken(text);
        expect(id === null || (id >= 0n && id <= MAX_ID)).toBe(true);
      }),
    );
  });
});
