import { listOf, textOf } from '../json.js';
import type { Say } from '../say.js';

/** In decimal bits. */
export interface Overwrite {
  id: string;
  isRole: boolean;
  allow: string;
  deny: string;
}

/** Reads `permission_overwrites` in wire format. */
export function overwritesOf(value: unknown): Overwrite[] {
  return listOf(value).flatMap(({ id, type, allow, deny }) => {
    const target = textOf(id);
    return target ? [{ id: target, isRole: type === 0, allow: textOf(allow) ?? '0', deny: textOf(deny) ?? '0' }] : [];
  });
}

type Bits = Pick<Overwrite, 'allow' | 'deny'>;

export function saidOf({ allow, deny }: Bits, bit: bigint): Say {
  if ((BigInt(allow) & bit) !== 0n) return true;
  return (BigInt(deny) & bit) !== 0n ? false : null;
}

export function withSaid({ allow, deny }: Bits, bit: bigint, said: Say): Bits {
  const withBit = (bits: string, isIn: boolean) => String(isIn ? BigInt(bits) | bit : BigInt(bits) & ~bit);
  return { allow: withBit(allow, said === true), deny: withBit(deny, said === false) };
}
