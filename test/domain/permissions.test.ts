import { ChannelType } from 'discord-api-types/v10';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  ALL_PERMISSIONS,
  allows,
  channelPermissions,
  DEFAULT_EVERYONE_PERMISSIONS,
  type GuildPermissionInput,
  guildPermissions,
  holderAt,
  memberPermissions,
  type Overwrite,
  Permission,
  parsePermissions,
  permissionNames,
  permissionText,
} from '../../src/domain/permissions.js';

const GUILD = 1n;
const OWNER = 2n;
const MEMBER = 3n;
const ROLES = [10n, 11n, 12n, 13n];
const BITS = [...new Set(Object.values(Permission))];

/** A copy of `compute_base_permissions` of Discord's documentation (Permissions, "Permission Hierarchy"). */
function documentedBase(guild: GuildPermissionInput, userId: bigint, roleIds: readonly bigint[]): bigint {
  if (userId === guild.ownerId) return ALL_PERMISSIONS;
  let permissions = guild.rolePermissions.get(guild.id) ?? 0n;
  for (const id of roleIds) permissions |= guild.rolePermissions.get(id) ?? 0n;
  if ((permissions & Permission.Administrator) === Permission.Administrator) return ALL_PERMISSIONS;
  return permissions;
}

/** A copy of `compute_overwrites` of the same page. */
function documentedOverwrites(
  base: bigint,
  guild: GuildPermissionInput,
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

/** "Implicit Permissions" of the same page, sentence by sentence. */
function documentedImplicit(permissions: bigint, channelType: number): bigint {
  const has = (name: keyof typeof Permission) => (permissions & Permission[name]) === Permission[name];
  const isVoice = channelType === ChannelType.GuildVoice || channelType === ChannelType.GuildStageVoice;
  const ignored = new Set<string>();
  if (!has('ViewChannel')) for (const name of Object.keys(Permission)) ignored.add(name);
  if (!has('SendMessages')) {
    for (const name of ['MentionEveryone', 'SendTTSMessages', 'AttachFiles', 'EmbedLinks']) ignored.add(name);
  }
  if (isVoice && !has('Connect')) for (const name of OF_VOICE) ignored.add(name);
  return Object.entries(Permission)
    .filter(([name, bit]) => (permissions & bit) === bit && !ignored.has(name))
    .reduce((all, [, bit]) => all | bit, 0n);
}

/** The "other permissions such as MANAGE_CHANNEL" of the page, as a common library interprets them. */
const OF_VOICE = [
  'ManageChannels',
  'ManageRoles',
  'PrioritySpeaker',
  'Stream',
  'Speak',
  'MuteMembers',
  'DeafenMembers',
  'MoveMembers',
  'UseVAD',
  'RequestToSpeak',
  'UseEmbeddedActivities',
  'UseSoundboard',
  'UseExternalSounds',
];

/** "Permissions For Timed Out Members" of the same page. */
function documentedTimeout(permissions: bigint, { isOwner, until, now }: Timeout): bigint {
  const isAdministrator = (permissions & Permission.Administrator) === Permission.Administrator;
  if (isOwner || isAdministrator || until === null || until <= now) return permissions;
  let left = 0n;
  for (const bit of [Permission.ViewChannel, Permission.ReadMessageHistory]) left |= permissions & bit;
  return left;
}

interface Timeout {
  isOwner: boolean;
  until: number | null;
  now: number;
}

/** Few of few bits, so that they often overlap. */
const bits = fc
  .subarray([
    Permission.ViewChannel,
    Permission.SendMessages,
    Permission.ReadMessageHistory,
    Permission.EmbedLinks,
    Permission.MentionEveryone,
    Permission.ManageRoles,
    Permission.Connect,
    Permission.Speak,
  ])
  .map((some) => some.reduce((all, bit) => all | bit, 0n));
const withAdministrator = fc
  .tuple(bits, fc.nat(9))
  .map(([some, die]) => (die === 0 ? some | Permission.Administrator : some));

const NOW = 1_000;

const scene = fc.record({
  until: fc.constantFrom(null, null, NOW - 1, NOW, NOW + 1),
  type: fc.constantFrom(ChannelType.GuildText, ChannelType.GuildVoice, ChannelType.GuildStageVoice),
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

const guildOf = (rolePermissions: Map<bigint, bigint>): GuildPermissionInput => ({
  id: GUILD,
  ownerId: OWNER,
  rolePermissions,
});

const dateOf = (time: number | null) => (time === null ? null : new Date(time));

const holder = (userId: bigint, roleIds: readonly bigint[], until: number | null = null) =>
  holderAt(NOW, userId, { roleIds, communicationDisabledUntil: dateOf(until) });

const inText = (overwrites: Overwrite[]) => ({ type: ChannelType.GuildText, overwrites });

describe('permissions', () => {
  test('in a guild are computed as documented', () => {
    fc.assert(
      fc.property(scene, ({ userId, roleIds, rolePermissions, until }) => {
        const guild = guildOf(rolePermissions);
        const timeout = { isOwner: userId === OWNER, until, now: NOW };
        const expected = documentedTimeout(documentedBase(guild, userId, roleIds), timeout);
        expect(guildPermissions(guild, holder(userId, roleIds, until))).toBe(expected);
        const roles = [...rolePermissions].map(([id, permissions]) => ({ id, permissions }));
        const row = {
          userId,
          communicationDisabledUntil: dateOf(until),
          roles: roleIds.map((roleId) => ({ roleId })),
          guild: { id: GUILD, ownerId: OWNER, roles },
        };
        expect(memberPermissions(row, NOW)).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('in a channel are computed as documented, with implicit denials and timeouts', () => {
    fc.assert(
      fc.property(scene, ({ userId, roleIds, rolePermissions, overwrites, type, until }) => {
        const guild = guildOf(rolePermissions);
        const base = documentedBase(guild, userId, roleIds);
        const documented = documentedOverwrites(base, guild, overwrites, userId, roleIds);
        const isExempt = base === ALL_PERMISSIONS;
        const used = isExempt ? documented : documentedImplicit(documented, type);
        const timeout = { isOwner: userId === OWNER, until, now: NOW };
        const expected = isExempt ? used : documentedTimeout(used, timeout);
        expect(channelPermissions(guild, { type, overwrites }, holder(userId, roleIds, until))).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
  });

  const { ViewChannel, SendMessages } = Permission;
  const inChannel = (...overwrites: Overwrite[]) =>
    channelPermissions(
      guildOf(new Map([[GUILD, ViewChannel | SendMessages]])),
      inText(overwrites),
      holder(MEMBER, ROLES),
    );

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

  test('a hidden channel leaves no bits, and a visible one leaves them', () => {
    expect(inChannel({ targetId: GUILD, allow: 0n, deny: ViewChannel })).toBe(0n);
    expect(inChannel({ targetId: GUILD, allow: SendMessages, deny: ViewChannel })).toBe(0n);
    expect(inChannel()).toBe(ViewChannel | SendMessages);
  });

  test('overwrites have no effect on the owner and on administrators', () => {
    const deny = { targetId: MEMBER, allow: 0n, deny: ALL_PERMISSIONS };
    const guild = guildOf(new Map([[10n, Permission.Administrator]]));
    expect(channelPermissions(guild, inText([deny]), holder(MEMBER, [10n]))).toBe(ALL_PERMISSIONS);
    expect(channelPermissions(guild, inText([{ ...deny, targetId: OWNER }]), holder(OWNER, []))).toBe(ALL_PERMISSIONS);
    expect(channelPermissions(guild, inText([deny]), holder(MEMBER, []))).toBe(0n);
  });
});

describe('a timeout', () => {
  const { ViewChannel, SendMessages, ReadMessageHistory, Administrator } = Permission;
  const guild = guildOf(
    new Map([
      [GUILD, ViewChannel | SendMessages | ReadMessageHistory],
      [10n, Administrator],
    ]),
  );

  test.each<[string, number | null, bigint]>([
    ['to come leaves looking on', NOW + 1, ViewChannel | ReadMessageHistory],
    ['that ends now says nothing', NOW, ViewChannel | SendMessages | ReadMessageHistory],
    ['that is over says nothing', NOW - 1, ViewChannel | SendMessages | ReadMessageHistory],
    ['that is none says nothing', null, ViewChannel | SendMessages | ReadMessageHistory],
  ])('%s', (_, until, left) => {
    expect(guildPermissions(guild, holder(MEMBER, [], until))).toBe(left);
    expect(channelPermissions(guild, inText([]), holder(MEMBER, [], until))).toBe(left);
  });

  test('has no effect on the owner and on administrators', () => {
    for (const exempt of [holder(OWNER, [], NOW + 1), holder(MEMBER, [10n], NOW + 1)]) {
      expect(guildPermissions(guild, exempt)).toBe(ALL_PERMISSIONS);
      expect(channelPermissions(guild, inText([]), exempt)).toBe(ALL_PERMISSIONS);
    }
  });
});

describe('permission bits', () => {
  test('are allowed if all needed bits are held', () => {
    fc.assert(
      fc.property(fc.subarray(BITS), fc.subarray(BITS), (held, needed) => {
        const sum = (some: bigint[]) => some.reduce((all, bit) => all | bit, 0n);
        expect(allows(sum(held), sum(needed))).toBe(needed.every((bit) => held.includes(bit)));
      }),
    );
  });

  test('have the names of the documentation, as words', () => {
    expect(permissionNames(0n)).toEqual([]);
    expect(permissionNames(Permission.ManageGuild | Permission.SendMessages)).toEqual([
      'Manage Guild',
      'Send Messages',
    ]);
    expect(permissionNames(Permission.SendTTSMessages | Permission.UseVAD)).toEqual(['Send TTSMessages', 'Use VAD']);
    expect(permissionNames(ALL_PERMISSIONS)).toHaveLength(BITS.length);
  });

  test('of `@everyone` in a new guild include no management permissions', () => {
    expect(permissionNames(DEFAULT_EVERYONE_PERMISSIONS)).toHaveLength(27);
    expect(
      permissionNames(DEFAULT_EVERYONE_PERMISSIONS).filter((name) =>
        /Manage|Admin|Kick|Ban|Mute|Deafen|Move/.test(name),
      ),
    ).toEqual([]);
  });

  test('that are unknown are dropped', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 32n - 1n }), (value) => {
        expect(parsePermissions(String(value))).toBe(value & BITS.reduce((all, bit) => all | bit, 0n));
      }),
    );
  });

  it.each(['', '-1', '1.5', '0x8', ' 8', '8 ', 'eight', '1'.repeat(33)])('cannot be parsed from %j', (text) => {
    expect(permissionText().safeParse(text).success).toBe(false);
  });

  it.each([
    ['0', 0n],
    ['2048', Permission.SendMessages],
    [`${'0'.repeat(28)}2048`, Permission.SendMessages],
    ['9'.repeat(32), BigInt('9'.repeat(32)) & ALL_PERMISSIONS],
  ])('are parsed from %s', (text, expected) => {
    expect(permissionText().parse(text)).toBe(expected);
  });
});
