import { PERMISSIONS } from '../../gql/words.js';

export type PermissionName = (typeof PERMISSIONS)[number]['name'];

export interface NamedPermission {
  name: PermissionName;
  bit: bigint;
  text: string;
}

/** Most powerful and general first. */
export const NAMED_PERMISSIONS: readonly NamedPermission[] = PERMISSIONS.map(({ name, bit, words }) => ({
  name,
  bit: BigInt(bit),
  text: words,
}));

const BY_NAME = new Map(NAMED_PERMISSIONS.map((permission) => [permission.name, permission]));

/** Server-wide permissions, which have no channel overwrites. */
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

export const CHANNEL_PERMISSIONS: readonly NamedPermission[] = NAMED_PERMISSIONS.filter(
  ({ name }) => !OF_SERVER.has(name),
);

export function namedPermissions(bits: string): NamedPermission[] {
  return NAMED_PERMISSIONS.filter(({ bit }) => includes(bits, bit));
}

export function holds(bits: string, name: PermissionName): boolean {
  return includes(bits, BY_NAME.get(name)?.bit ?? 0n);
}

/** Returns which permission is missing, or undefined if the bits suffice. */
export function lacks(bits: string, name: PermissionName): string | undefined {
  return holds(bits, name) ? undefined : `You need the “${BY_NAME.get(name)?.text}” permission.`;
}

export function byPermission<Value>(of: (permission: NamedPermission) => Value): Record<PermissionName, Value> {
  const entries = NAMED_PERMISSIONS.map((permission) => [permission.name, of(permission)]);
  return Object.fromEntries(entries) as Record<PermissionName, Value>;
}

export function withPermissions(bits: string, changes: Partial<Record<PermissionName, boolean>>): string {
  const changed = NAMED_PERMISSIONS.filter(({ name }) => changes[name] !== undefined);
  const set = (held: bigint, { name, bit }: NamedPermission) => (changes[name] ? held | bit : held & ~bit);
  return String(changed.reduce(set, BigInt(bits)));
}

function includes(bits: string, bit: bigint): boolean {
  return (BigInt(bits) & bit) !== 0n;
}
