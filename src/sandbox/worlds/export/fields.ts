import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { PermissionName } from '../../protocol.js';

/** The last name of each bit; earlier ones are deprecated. */
const NAMES = new Map(Object.entries(PermissionFlagsBits).map(([name, bit]) => [bit, name as PermissionName]));

export function permissionNames(permissions: string | bigint): PermissionName[] {
  const bits = BigInt(permissions);
  return [...NAMES].filter(([bit]) => (bits & bit) !== 0n).map(([, name]) => name);
}

/** For lists whose default is empty. */
export function unlessEmpty<Item>(list: Item[]): Item[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Leaves out fields that say nothing. Lists stay, because an empty one can differ from the default. */
export function withoutDefaults<Seeded extends object>(seed: Seeded): Seeded {
  const said = Object.entries(seed).filter(([, value]) => ![undefined, null, false, 0, ''].includes(value));
  return Object.fromEntries(said) as Seeded;
}
