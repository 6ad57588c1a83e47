/**
 * Ed25519 points of small order, without the sign bit. Signatures for such keys can be forged. The points are those of
 * libsodium's `ge25519_has_small_order`, encoded as in RFC 8032, section 5.1.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/** @param key 32 bytes */
export function isWeakKey(key: Buffer): boolean {
  const point = Buffer.from(key);
  point.writeUInt8(point.readUInt8(31) & 0x7f, 31);
  return SMALL_ORDER.has(point.toString('hex'));
}
