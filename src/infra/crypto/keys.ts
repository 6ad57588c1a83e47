import { createPrivateKey, type KeyObject, sign as signBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import nacl from 'tweetnacl';

/** Hex: the 32-byte public key and the 32-byte seed of the private key. */
export function createSigningKeys(): { publicKey: string; privateKey: string } {
  const pair = nacl.sign.keyPair();
  return {
    publicKey: Buffer.from(pair.publicKey).toString('hex'),
    privateKey: Buffer.from(pair.secretKey.subarray(0, 32)).toString('hex'),
  };
}

/** Prefix of an Ed25519 seed in PKCS #8 (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Parsing a key takes about as long as signing with it. */
const keys = new LRUCache<string, KeyObject>({ max: 1_000 });

function keyOf(seed: string): KeyObject {
  const known = keys.get(seed);
  if (known) return known;
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.from(seed, 'hex')]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  keys.set(seed, key);
  return key;
}

/**
 * Signs the timestamp and the body with Ed25519, in hex (Discord's documentation, Validating Security Request Headers).
 * @param privateKey seed from {@link createSigningKeys}
 * @param timestampSeconds since the Unix epoch
 */
export function signedHeaders({ privateKey }: { privateKey: string }, body: string, timestampSeconds: number) {
  const signature = signBytes(null, Buffer.from(`${timestampSeconds}${body}`), keyOf(privateKey));
  return {
    'X-Signature-Ed25519': signature.toString('hex'),
    'X-Signature-Timestamp': String(timestampSeconds),
  };
}

/** @param privateKey seed from {@link createSigningKeys} */
export function signWith(privateKey: string, bytes: Buffer): Buffer {
  return signBytes(null, bytes, keyOf(privateKey));
}
