import { verifyKey } from 'discord-interactions';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { expect, it } from 'vitest';
import { createSigningKeys, signedHeaders } from '../../../src/infra/crypto/keys.js';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

it('a signature covers a body together with its time', async () => {
  const keys = createSigningKeys();
  const headers = signedHeaders(keys, '{"type":1}', 1_700_000_000);
  expect(headers).toEqual({
    'X-Signature-Ed25519': expect.stringMatching(/^[0-9a-f]{128}$/),
    'X-Signature-Timestamp': '1700000000',
  });
  const verify = (body: string, time: string, key = keys.publicKey) =>
    verifyKey(body, headers['X-Signature-Ed25519'], time, key);
  expect(await verify('{"type":1}', '1700000000')).toBe(true);
  expect(await verify('{"type":2}', '1700000000')).toBe(false);
  expect(await verify('{"type":1}', '1700000001')).toBe(false);
  expect(await verify('{"type":1}', '1700000000', createSigningKeys().publicKey)).toBe(false);
});

it('a signature equals the one of another implementation with the same seed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.string({ unit: 'binary' }), (seed, body) => {
      const pair = nacl.sign.keyPair.fromSeed(seed);
      const privateKey = Buffer.from(seed).toString('hex');
      const headers = signedHeaders({ privateKey }, body, 12);
      const expected = nacl.sign.detached(Uint8Array.from(Buffer.from(`12${body}`)), pair.secretKey);
      expect(headers['X-Signature-Ed25519']).toBe(Buffer.from(expected).toString('hex'));
    }),
  );
});

it('new keys are a pair: the public key verifies signatures by the seed', () => {
  const { publicKey, privateKey } = createSigningKeys();
  expect([publicKey.length, privateKey.length]).toEqual([64, 64]);
  const signature = signedHeaders({ privateKey }, 'x', 1)['X-Signature-Ed25519'];
  expect(nacl.sign.detached.verify(Uint8Array.from(Buffer.from('1x')), bytes(signature), bytes(publicKey))).toBe(true);
});
