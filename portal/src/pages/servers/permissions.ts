import { PERMISSIONS } from '../../gql/words.js';

/** As the reference platform calls it. */
export type PermissionName = (typeof PERMISSIONS)[number]['name'];

/** A permission by its bit and its names. */
export interface NamedPermission {
  name: PermissionName;
  bit: bigint;
  text: string;
}

/** All of them, the gravest and most general first. */
export const NAMED_PERMISSIONS: readonly NamedPermission[] = PERMISSIONS.map(({ name, bit, words }) => ({
  name,
  bit: BigInt(bit),
  text: words,
}));

const BY_NAME = new Map(NAMED_PERMISSIONS.map((permission) => [permission.name, permission]));

/** Those that count for the server at large, of which channels say nothing. */
const OF_SERVER: ReadonlySet<PermissionName> = new Set<PermissionName>([
  'Administrator',
  'ManageGuildExpressions',
  'CreateGuildExpressions',
  'ViewAuditLog',
  'ViewGuildInsights',
  'ViewCreatorMonetizationAnalytics',
  'ManageGuild',
  'ChangeNickname',
  'ManageNicknames',
  'KickMembers',
  'BanMembers',
  'ModerateMembers',
]);

/** Those that a channel can allow and deny. */
export const CHANNEL_PERMISSIONS: readonly NamedPermission[] = NAMED_PERMISSIONS.filter(
  ({ name }) => !OF_SERVER.has(name),
);

/** Those in decimal bits. */
export function namedPermissions(bits: string): NamedPermission[] {
  return NAMED_PERMISSIONS.filter(({ bit }) => includes(bits, bit));
}

/** Whether decimal bits hold a permission. */
export function holds(bits: string, name: PermissionName): boolean {
  return includes(bits, BY_NAME.get(name)?.bit ?? 0n);
}

/** Why something is off for somebody with these bits; undefined when they may. */
export function lacks(bits: string, name: PermissionName): string | undefined {
  return holds(bits, name) ? undefined : `Needs the permission “${BY_NAME.get(name)?.text}”.`;
}

/** Something of each permission. */
export function byPermission<Value>(of: (permission: NamedPermission) => Value): Record<PermissionName, Value> {
  const entries = NAMED_PERMISSIONS.map((permission) => [permission.name, of(permission)]);
  return Object.fromEntries(entries) as Record<PermissionName, Value>;
}

/** Decimal bits, in which some permissions are set or taken away. */
export function withPermissions(bits: string, changes: Partial<Record<PermissionName, boolean>>): string {
  const changed = NAMED_PERMISSIONS.filter(({ name }) => changes[name] !== undefined);
  const set = (held: bigint, { name, bit }: NamedPermission) => (changes[name] ? held | bit : held & ~bit);
  return String(changed.reduce(set, BigInt(bits)));
}

function includes(bits: string, bit: bigint): boolean {
  return (BigInt(bits) & bit) !== 0n;
}
