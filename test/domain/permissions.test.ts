import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  ALL_PERMISSIONS,
  allows,
  channelPermissions,
  DEFAULT_EVERYONE_PERMISSIONS,
  guildPermissions,
  memberPermissions,
  type Overwrite,
  Permission,
  type PermissionFacts,
  parsePermissions,
  permissionNames,
  permissionText,
} from '../../src/domain/permissions.js';

const GUILD = 1n;
const OWNER = 2n;
const MEMBER = 3n;
const ROLES = [10n, 11n, 12n, 13n];
const BITS = [...new Set(Object.values(Permission))];

/** `compute_base_permissions` of Discord's documentation (Permissions, "Permission Hierarchy"), word for word. */
function documentedBase(guild: PermissionFacts, userId: bigint, roleIds: readonly bigint[]): bigint {
  if (userId === guild.ownerId) return ALL_PERMISSIONS;
  let permissions = guild.rolePermissions.get(guild.id) ?? 0n;
  for (const id of roleIds) permissions |= guild.rolePermissions.get(id) ?? 0n;
  if ((permissions & Permission.Administrator) === Permission.Administrator) return ALL_PERMISSIONS;
  return permissions;
}

/** `compute_overwrites` of the same page. */
function documentedOverwrites(
  base: bigint,
  guild: PermissionFacts,
  overwrites: readonly Overwrite[],
  userId: bigint,
  roleIds: readonly bigint[],
): bigint {
  if ((base & Permission.Administrator) === Permission.Administrator) return ALL_PERMISSIONS;
  const of = new Map(overwrites.map((overwrite) => [overwrite.targetId, overwrite]));
  let permissions = base;
  const everyone = of.get(guild.id);
  if (everyone) {
    permissions &= ~everyone.deny;
    permissions |= everyone.allow;
  }
  let allow = 0n;
  let deny = 0n;
  for (const id of roleIds) {
    const role = of.get(id);
    if (!role) continue;
    allow |= role.allow;
    deny |= role.deny;
  }
  permissions &= ~deny;
  permissions |= allow;
  const member = of.get(userId);
  if (member) {
    permissions &= ~member.deny;
    permissions |= member.allow;
  }
  return permissions;
}

/** Few of few bits, so that they meet. */
const bits = fc
  .subarray([Permission.ViewChannel, Permission.SendMessages, Permission.ManageRoles, Permission.Connect])
  .map((some) => some.reduce((all, bit) => all | bit, 0n));
const withAdministrator = fc
  .tuple(bits, fc.nat(9))
  .map(([some, die]) => (die === 0 ? some | Permission.Administrator : some));

const scene = fc.record({
  userId: fc.constantFrom(OWNER, MEMBER, MEMBER, MEMBER),
  roleIds: fc.subarray(ROLES),
  rolePermissions: fc
    .tuple(...[GUILD, ...ROLES].map((id) => fc.tuple(fc.constant(id), withAdministrator)))
    .map((entries) => new Map(entries)),
  overwrites: fc
    .subarray([GUILD, MEMBER, OWNER, 4n, ...ROLES])
    .chain((targets) =>
      fc.tuple(...targets.map((targetId) => fc.record({ targetId: fc.constant(targetId), allow: bits, deny: bits }))),
    )
    .chain((overwrites) => fc.shuffledSubarray(overwrites, { minLength: overwrites.length })),
});

const guildOf = (rolePermissions: Map<bigint, bigint>): PermissionFacts => ({
  id: GUILD,
  ownerId: OWNER,
  rolePermissions,
});

describe('permissions', () => {
  test('in the guild at large are computed as documented', () => {
    fc.assert(
      fc.property(scene, ({ userId, roleIds, rolePermissions }) => {
        const guild = guildOf(rolePermissions);
        const expected = documentedBase(guild, userId, roleIds);
        expect(guildPermissions(guild, userId, roleIds)).toBe(expected);
        const roles = [...rolePermissions].map(([id, permissions]) => ({ id, permissions }));
        const row = {
          userId,
          roles: roleIds.map((roleId) => ({ roleId })),
          guild: { id: GUILD, ownerId: OWNER, roles },
        };
        expect(memberPermissions(row)).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('in a channel are computed as documented; without ViewChannel nothing remains', () => {
    fc.assert(
      fc.property(scene, ({ userId, roleIds, rolePermissions, overwrites }) => {
        const guild = guildOf(rolePermissions);
        const base = documentedBase(guild, userId, roleIds);
        const documented = documentedOverwrites(base, guild, overwrites, userId, roleIds);
        const expected = allows(documented, Permission.ViewChannel) ? documented : 0n;
        expect(channelPermissions(guild, overwrites, userId, roleIds)).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  const { ViewChannel, SendMessages } = Permission;
  const inChannel = (...overwrites: Overwrite[]) =>
    channelPermissions(guildOf(new Map([[GUILD, ViewChannel | SendMessages]])), overwrites, MEMBER, ROLES);

  test.each<[string, bigint, bigint]>([
    ['a role that allows wins over one that denies, whichever comes first', 10n, 11n],
    ['a role that denies wins over everyone', 10n, GUILD],
    ['the member wins over the roles', MEMBER, 10n],
  ])('%s', (_, winner, loser) => {
    const isRoleAgainstRole = ROLES.includes(winner) && ROLES.includes(loser);
    const allowing = { allow: SendMessages, deny: 0n };
    const denying = { allow: 0n, deny: SendMessages };
    const both = (first: typeof allowing, second: typeof allowing) => [
      inChannel({ targetId: winner, ...first }, { targetId: loser, ...second }),
      inChannel({ targetId: loser, ...second }, { targetId: winner, ...first }),
    ];
    expect(both(allowing, denying)).toEqual(Array(2).fill(ViewChannel | SendMessages));
    expect(both(denying, allowing)).toEqual(
      Array(2).fill(isRoleAgainstRole ? ViewChannel | SendMessages : ViewChannel),
    );
  });

  test('a channel that may not be viewed keeps no bit, one that is viewed keeps them', () => {
    expect(inChannel({ targetId: GUILD, allow: 0n, deny: ViewChannel })).toBe(0n);
    expect(inChannel({ targetId: GUILD, allow: SendMessages, deny: ViewChannel })).toBe(0n);
    expect(inChannel()).toBe(ViewChannel | SendMessages);
  });

  test('of an owner and of an administrator no overwrite takes anything away', () => {
    const deny = { targetId: MEMBER, allow: 0n, deny: ALL_PERMISSIONS };
    const guild = guildOf(new Map([[10n, Permission.Administrator]]));
    expect(channelPermissions(guild, [deny], MEMBER, [10n])).toBe(ALL_PERMISSIONS);
    expect(channelPermissions(guild, [{ ...deny, targetId: OWNER }], OWNER, [])).toBe(ALL_PERMISSIONS);
    expect(channelPermissions(guild, [deny], MEMBER, [])).toBe(0n);
  });
});

describe('bits', () => {
  test('are allowed when every one that is needed is held', () => {
    fc.assert(
      fc.property(fc.subarray(BITS), fc.subarray(BITS), (held, needed) => {
        const sum = (some: bigint[]) => some.reduce((all, bit) => all | bit, 0n);
        expect(allows(sum(held), sum(needed))).toBe(needed.every((bit) => held.includes(bit)));
      }),
    );
  });

  test('have the names of the documentation, in words', () => {
    expect(permissionNames(0n)).toEqual([]);
    expect(permissionNames(Permission.ManageGuild | Permission.SendMessages)).toEqual([
      'Manage Guild',
      'Send Messages',
    ]);
    expect(permissionNames(Permission.SendTTSMessages | Permission.UseVAD)).toEqual(['Send TTSMessages', 'Use VAD']);
    expect(permissionNames(ALL_PERMISSIONS)).toHaveLength(BITS.length);
  });

  test('of @everyone in a new guild let nobody manage anything', () => {
    expect(permissionNames(DEFAULT_EVERYONE_PERMISSIONS)).toHaveLength(27);
    expect(
      permissionNames(DEFAULT_EVERYONE_PERMISSIONS).filter((name) =>
        /Manage|Admin|Kick|Ban|Mute|Deafen|Move/.test(name),
      ),
    ).toEqual([]);
  });

  test('that nobody knows are dropped', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 32n - 1n }), (value) => {
        expect(parsePermissions(String(value))).toBe(value & BITS.reduce((all, bit) => all | bit, 0n));
      }),
    );
  });

  it.each(['', '-1', '1.5', '0x8', ' 8', '8 ', 'eight', '1'.repeat(33)])('are no permission string as %j', (text) => {
    expect(permissionText().safeParse(text).success).toBe(false);
  });

  it.each([
    ['0', 0n],
    ['2048', Permission.SendMessages],
    [`${'0'.repeat(28)}2048`, Permission.SendMessages],
    ['9'.repeat(32), BigInt('9'.repeat(32)) & ALL_PERMISSIONS],
  ])('are a permission string as %s', (text, expected) => {
    expect(permissionText().parse(text)).toBe(expected);
  });
});
