import { expect, test } from 'vitest';
import { type OperationOnMember, operationsOnMember } from '../../../src/domain/members/operations.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { operationsOnRole, type RoleOperation } from '../../../src/domain/roles/operations.js';

const [GUILD, OWNER, ADMIN, MODERATOR, PERSON] = [1n, 2n, 3n, 4n, 5n];
const ADMINS = 10n;
const guild = {
  id: GUILD,
  ownerId: OWNER,
  rolePermissions: new Map([
    [GUILD, Permission.ViewChannel],
    [ADMINS, Permission.Administrator],
  ]),
};

const MODERATES =
  Permission.KickMembers |
  Permission.BanMembers |
  Permission.ModerateMembers |
  Permission.ManageNicknames |
  Permission.ManageRoles;

const CALLERS = {
  owner: { userId: OWNER, highest: 0, permissions: ALL_PERMISSIONS },
  admin: { userId: ADMIN, highest: 5, permissions: ALL_PERMISSIONS },
  moderator: { userId: MODERATOR, highest: 3, permissions: MODERATES },
  member: { userId: PERSON, highest: 3, permissions: Permission.ChangeNickname },
  above: { userId: PERSON, highest: 4, permissions: 0n },
};

const ALL: OperationOnMember[] = ['changeNick', 'changeRoles', 'timeOut', 'kick', 'ban'];
const NO_TIME_OUT: OperationOnMember[] = ['changeNick', 'changeRoles', 'kick', 'ban'];

test.each<[keyof typeof CALLERS, string, bigint, number, bigint[], OperationOnMember[]]>([
  ['owner', 'themselves', OWNER, 0, [], ['changeNick', 'changeRoles']],
  ['owner', 'an administrator', ADMIN, 5, [ADMINS], NO_TIME_OUT],
  ['owner', 'a member with the highest role', PERSON, 9, [], ALL],
  ['admin', 'the owner', OWNER, 0, [], ['changeRoles']],
  ['admin', 'themselves', ADMIN, 5, [ADMINS], ['changeNick', 'changeRoles']],
  ['admin', 'an equal', PERSON, 5, [], ['changeRoles']],
  ['admin', 'a moderator', MODERATOR, 3, [], ALL],
  ['moderator', 'the owner', OWNER, 0, [], ['changeRoles']],
  ['moderator', 'themselves, without Change Nickname', MODERATOR, 3, [], ['changeRoles']],
  ['moderator', 'somebody above', PERSON, 4, [], ['changeRoles']],
  ['moderator', 'an equal', PERSON, 3, [], ['changeRoles']],
  ['moderator', 'somebody below', PERSON, 2, [], ALL],
  ['moderator', 'an administrator below', PERSON, 2, [ADMINS], NO_TIME_OUT],
  ['member', 'themselves', PERSON, 3, [], ['changeNick']],
  ['member', 'somebody below', MODERATOR, 0, [], []],
  ['above', 'somebody below', MODERATOR, 3, [], []],
])('the allowed operations of %s on %s are returned', (caller, _whom, userId, highest, roleIds, expected) => {
  expect(operationsOnMember(guild, CALLERS[caller], { userId, highest, roleIds })).toEqual(expected);
});

const MANAGES = { permissions: Permission.ManageRoles, highest: 3 };
const role = (position: number, managed = false) => ({ id: 11n, guildId: GUILD, position, managed });

test.each<[string, Parameters<typeof operationsOnRole>, RoleOperation[]]>([
  ['below', [role(2), MANAGES], ['update', 'move', 'assign', 'delete']],
  ['equal', [role(3), MANAGES], []],
  ['above', [role(4), MANAGES], []],
  ['below, of an installation', [role(2, true), MANAGES], ['update', 'move']],
  ['of @everyone', [{ ...role(0), id: GUILD }, MANAGES], ['update']],
  [
    'of @everyone, for a member without other roles',
    [
      { ...role(0), id: GUILD },
      { ...MANAGES, highest: 0 },
    ],
    [],
  ],
  ['below, without the permission', [role(2), { ...MANAGES, permissions: MODERATES & ~Permission.ManageRoles }], []],
])('the allowed operations on a role %s are returned', (_which, [about, caller], expected) => {
  expect(operationsOnRole(about, caller)).toEqual(expected);
});
