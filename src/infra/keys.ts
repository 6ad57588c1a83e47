import nacl from 'tweetnacl';

/** A new Ed25519 key pair, in hex: the 32-byte public key and the 32-byte seed of the private one. */
export function createSigningKeys(): { publicKey: string; privateKey: string } {
  const pair = nacl.sign.keyPair();
  return {
    publicKey: Buffer.from(pair.publicKey).toString('hex'),
    privateKey: Buffer.from(pair.secretKey.subarray(0, 32)).toString('hex'),
  };
}
