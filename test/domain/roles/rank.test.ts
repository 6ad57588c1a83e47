import { expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { setMemberRoles } from '../../../src/domain/members/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole, setRolePositions } from '../../../src/domain/roles/index.js';
import { test } from '../../harness/fixtures.js';
import { createPerson, permitEveryone } from '../../harness/rows.js';
import { addMember, callOf, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});

const make = (guild: TestGuild, name: string) => createRole(callOf(app, guild.owner), guild.id, { name });

test('a member with Manage Roles from `@everyone` only can create roles, but not assign or move any, despite a role in another guild', async () => {
  const [guild, other] = [await createGuild(app), await createGuild(app)];
  const ada = await createPerson(app);
  await addMember(app, guild.id, ada);
  await addMember(app, other.id, ada);
  const [low, high] = [await make(guild, 'low'), await make(guild, 'high')];
  const elsewhere = await make(other, 'elsewhere');
  await make(other, 'below');
  await setMemberRoles(callOf(app, other.owner), { guildId: other.id, userId: ada.id, roleIds: [elsewhere.id] });
  await permitEveryone(app, guild.id, Permission.ViewChannel | Permission.ManageRoles);
  const call = callOf(app, ada);
  const refused = { code: 'MISSING_PERMISSIONS' };
  const input = { guildId: guild.id, userId: ada.id, roleIds: [low.id] };
  await expect(setMemberRoles(call, input)).rejects.toMatchObject(refused);
  await expect(setRolePositions(call, guild.id, [{ roleId: high.id, position: 2 }])).rejects.toMatchObject(refused);
  expect(await createRole(call, guild.id, { name: 'mine' })).toMatchObject({ position: 1 });
});

test('a role without a position, or with null, stays in place', async () => {
  const guild = await createGuild(app);
  const [c, b, a] = [await make(guild, 'c'), await make(guild, 'b'), await make(guild, 'a')];
  const sort = async (...positions: Parameters<typeof setRolePositions>[2]) => {
    const roles = await setRolePositions(callOf(app, guild.owner), guild.id, positions);
    return roles.map(({ name, position }) => `${position} ${name}`);
  };
  const stays = ['0 @everyone', '1 a', '2 b', '3 c'];
  for (const position of [null, undefined]) {
    for (const { id: roleId } of [a, b, c]) expect(await sort({ roleId, position })).toEqual(stays);
  }
  // If a role is named several times, its last position counts, and null is ignored.
  const twice = [a.id, a.id, a.id].map((roleId, index) => ({ roleId, position: [3, 2, null][index] }));
  expect(await sort(...twice)).toEqual(['0 @everyone', '1 b', '2 a', '3 c']);
});

test('the highest of several roles counts', async () => {
  const guild = await createGuild(app);
  const ada = await createPerson(app);
  await addMember(app, guild.id, ada);
  const [top, middle, bottom] = [await make(guild, 'top'), await make(guild, 'middle'), await make(guild, 'bottom')];
  const held = { guildId: guild.id, userId: ada.id, roleIds: [top.id, bottom.id] };
  await setMemberRoles(callOf(app, guild.owner), held);
  await permitEveryone(app, guild.id, Permission.ManageRoles);
  const given = { ...held, roleIds: [top.id, middle.id, bottom.id] };
  expect((await setMemberRoles(callOf(app, ada), given)).roles).toHaveLength(3);
  const taken = { ...held, roleIds: [middle.id, bottom.id] };
  await expect(setMemberRoles(callOf(app, ada), taken)).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
});
