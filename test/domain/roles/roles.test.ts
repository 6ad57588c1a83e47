import { describe, expect } from 'vitest';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { hearGuild } from '../../harness/bus.js';
import { it } from '../../harness/fixtures.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeGuild,
  type Person,
  signUp,
} from '../../harness/people.js';
import type { TestServer } from '../../harness/server.js';

let server: TestServer;
let owner: Person;
let manager: Person;
let member: Person;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, manager, member] = await Promise.all([
    signUp(server, 'owner'),
    signUp(server, 'manager'),
    signUp(server, 'member'),
  ]);
});

const CREATE_ROLE = `mutation ($input: CreateRoleInput!) {
  createRole(input: $input) { role { id name permissions position } }
}`;
const SET_ROLES = `mutation ($input: SetMemberRolesInput!) {
  setMemberRoles(input: $input) { member { user { id } roles { id } } }
}`;

async function createRole(person: Person, guild: MadeGuild, name: string, permissions?: bigint) {
  const input = { guildId: guild.id, name, permissions: permissions?.toString() };
  return (await person.graphql(CREATE_ROLE, { input })).createRole.role;
}

async function setRoles(person: Person, guild: MadeGuild, target: { id: string }, roleIds: string[]) {
  return person.ask(SET_ROLES, { input: { guildId: guild.id, userId: target.id, roleIds } });
}

const SORT = `mutation ($input: SetRolePositionsInput!) {
  setRolePositions(input: $input) { roles { id name position } }
}`;

async function sort(person: Person, guild: MadeGuild, positions: [{ id: string }, number][]) {
  const input = { guildId: guild.id, positions: positions.map(([{ id: roleId }, position]) => ({ roleId, position })) };
  return person.ask(SORT, { input });
}

/** The names of a guild's roles above `@everyone`, lowest first. Checks that their positions are consecutive. */
async function orderOf(guild: MadeGuild): Promise<string[]> {
  const roles = await rolesOf(guild);
  expect(roles.map((role) => role.position)).toEqual(roles.map((_, index) => index));
  expect(roles[0]).toMatchObject({ id: guild.id, position: 0 });
  return roles.slice(1).map((role) => role.name);
}

async function rolesOf(guild: MadeGuild): Promise<{ id: string; name: string; position: number }[]> {
  const query = `query ($id: ID!) { guild(id: $id) { roles { id name position } } }`;
  return (await owner.graphql(query, { id: guild.id })).guild.roles;
}

async function guildWithManager() {
  const guild = await createGuild(owner);
  await invite(owner, guild, manager);
  await invite(owner, guild, member);
  const above = await createRole(owner, guild, 'above');
  const managing = await createRole(owner, guild, 'managing', Permission.ManageRoles | Permission.ViewChannel);
  await setRoles(owner, guild, manager, [managing.id]);
  return { guild, above, managing };
}

describe('a new role', () => {
  it('is placed just above `@everyone` and moves the others up', async () => {
    const guild = await createGuild(owner);
    for (const name of ['first', 'second', 'third']) await createRole(owner, guild, name, 0n);
    const roles = await rolesOf(guild);
    expect(roles.map(({ name, position }) => [name, position])).toEqual([
      ['@everyone', 0],
      ['third', 1],
      ['second', 2],
      ['first', 3],
    ]);
  });

  it('has the permissions of `@everyone` by default, and stores known bits only', async () => {
    const guild = await createGuild(owner);
    const everyone = await server.app.db.reader.role.findUniqueOrThrow({ where: { id: BigInt(guild.id) } });
    expect((await createRole(owner, guild, 'plain')).permissions).toBe(String(everyone.permissions));
    const wide = await createRole(owner, guild, 'wide', (1n << 100n) | Permission.KickMembers);
    expect(wide.permissions).toBe(String(Permission.KickMembers));
  });

  it('cannot have permissions that its creator lacks', async () => {
    const { guild } = await guildWithManager();
    const ask = (permissions: bigint) =>
      manager.ask(CREATE_ROLE, { input: { guildId: guild.id, name: 'more', permissions: String(permissions) } });
    expect((await ask(Permission.BanMembers)).errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await ask(ALL_PERMISSIONS)).errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await ask(Permission.ManageRoles)).errors).toEqual([]);
  });

  it('needs ManageRoles', async () => {
    const { guild } = await guildWithManager();
    const { errors } = await member.ask(CREATE_ROLE, { input: { guildId: guild.id, name: 'mine' } });
    expect(errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it.each(['-1', '0x8', '1e3', ' 1', '', 'all', '1'.repeat(33)])(
    'is refused with the permissions %j',
    async (permissions) => {
      const guild = await createGuild(owner);
      const { errors } = await owner.ask(CREATE_ROLE, { input: { guildId: guild.id, name: 'odd', permissions } });
      expect(errors[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        fields: { permissions: expect.anything() },
      });
    },
  );

  it('has its own position if ten are created at once', async () => {
    const guild = await createGuild(owner);
    await Promise.all(Array.from({ length: 10 }, (_, n) => createRole(owner, guild, `role ${n}`, 0n)));
    expect((await rolesOf(guild)).map((role) => role.position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

describe('sorting roles', () => {
  async function guildWithRoles() {
    const guild = await createGuild(owner);
    const d = await createRole(owner, guild, 'd');
    const c = await createRole(owner, guild, 'c');
    const b = await createRole(owner, guild, 'b');
    const a = await createRole(owner, guild, 'a');
    return { guild, a, b, c, d };
  }

  it('sets the given positions, and keeps the order of the other roles', async () => {
    const { guild, a, b, c, d } = await guildWithRoles();
    const { data } = await sort(owner, guild, [[a, 3]]);
    expect(data.setRolePositions.roles.map((role: { name: string }) => role.name)).toEqual([
      '@everyone',
      'b',
      'c',
      'a',
      'd',
    ]);
    expect(await orderOf(guild)).toEqual(['b', 'c', 'a', 'd']);
    await sort(owner, guild, [[d, 1]]);
    expect(await orderOf(guild)).toEqual(['d', 'b', 'c', 'a']);
    await sort(owner, guild, [
      [a, 1],
      [b, 2],
      [c, 3],
      [d, 4],
    ]);
    expect(await orderOf(guild)).toEqual(['a', 'b', 'c', 'd']);
    await sort(owner, guild, [
      [a, 3],
      [d, 2],
    ]);
    expect(await orderOf(guild)).toEqual(['b', 'd', 'a', 'c']);
  });

  it('clamps positions, puts the older of two roles with one position above, and keeps `@everyone` lowest', async () => {
    const { guild, a, c, d } = await guildWithRoles();
    await sort(owner, guild, [[a, 99]]);
    expect(await orderOf(guild)).toEqual(['b', 'c', 'd', 'a']);
    await sort(owner, guild, [[a, -5]]);
    expect(await orderOf(guild)).toEqual(['a', 'b', 'c', 'd']);
    await sort(owner, guild, [
      [d, 1],
      [c, 1],
    ]);
    expect(await orderOf(guild)).toEqual(['c', 'd', 'a', 'b']);
    await sort(owner, guild, [
      [{ id: guild.id }, 3],
      [a, 1],
    ]);
    expect(await orderOf(guild)).toEqual(['a', 'c', 'd', 'b']);
  });

  it('works if existing positions have gaps or are equal', async () => {
    const { guild, a, b, c, d } = await guildWithRoles();
    const place = ({ id }: { id: string }, position: number) =>
      server.app.db.writer.role.update({ where: { id: BigInt(id) }, data: { position } });
    await Promise.all([place(a, 2), place(b, 5), place(c, 5), place(d, 9)]);
    // Of b and c, both at 5, c is older.
    await sort(owner, guild, [[a, 5]]);
    expect(await orderOf(guild)).toEqual(['b', 'c', 'a', 'd']);
  });

  it('publishes each moved role, and audits them together, once', async () => {
    const { guild, a, b } = await guildWithRoles();
    const { events } = hearGuild(server, guild.id);
    await sort(owner, guild, [[a, 2]]);
    await sort(owner, guild, [[a, 2]]);
    expect(events.map(({ type, data }) => [type, JSON.parse(data).role.id, JSON.parse(data).role.position])).toEqual([
      ['GUILD_ROLE_UPDATE', b.id, 1],
      ['GUILD_ROLE_UPDATE', a.id, 2],
    ]);
    const where = { guildId: BigInt(guild.id), action: 'ROLE_POSITIONS_UPDATE' };
    expect(await server.app.db.reader.auditEntry.findMany({ where })).toMatchObject([
      {
        actorId: BigInt(owner.id),
        changes: {
          roles: [
            { id: b.id, name: 'b', old: 2, new: 1 },
            { id: a.id, name: 'a', old: 1, new: 2 },
          ],
        },
      },
    ]);
  });

  it('is limited to roles below the highest of the caller, and to positions below that', async () => {
    const { guild, above, managing } = await guildWithManager();
    const low = await createRole(owner, guild, 'low', 0n);
    const lowest = await createRole(owner, guild, 'lowest', 0n);
    const refused = async (person: Person, positions: [{ id: string }, number][]) =>
      expect((await sort(person, guild, positions)).errors[0]?.extensions.code).toBe('FORBIDDEN');
    await refused(manager, [[low, 3]]);
    await refused(manager, [[low, 4]]);
    await refused(manager, [[managing, 1]]);
    await refused(manager, [[managing, 4]]);
    await refused(manager, [[above, 1]]);
    await refused(member, [[low, 1]]);
    expect(await orderOf(guild)).toEqual(['lowest', 'low', 'managing', 'above']);
    // Roles that do not move may be named.
    const answer = await sort(manager, guild, [
      [low, 1],
      [lowest, 2],
      [managing, 3],
      [above, 4],
    ]);
    expect(answer.errors).toEqual([]);
    expect(await orderOf(guild)).toEqual(['low', 'lowest', 'managing', 'above']);
  });

  it('does not find roles of another guild', async () => {
    const { guild, a } = await guildWithRoles();
    const other = await createGuild(owner);
    expect((await sort(owner, other, [[a, 1]])).errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await sort(owner, guild, [[{ id: '9'.repeat(30) }, 1]])).errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await sort(manager, guild, [[a, 1]])).errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('prevents a manager from using a role that the owner moved above theirs', async () => {
    const guild = await createGuild(owner);
    await invite(owner, guild, manager);
    const mod = await createRole(owner, guild, 'mod', Permission.ManageRoles);
    await setRoles(owner, guild, manager, [mod.id]);
    const admin = await createRole(owner, guild, 'admin', Permission.Administrator);
    await sort(owner, guild, [[admin, 2]]);
    const { errors } = await setRoles(manager, guild, manager, [mod.id, admin.id]);
    expect(errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('leaves each role its own position if several callers sort and create roles at once', async () => {
    const { guild, a, b, c, d } = await guildWithRoles();
    const answers = await Promise.all([
      ...[a, b, c, d].map((role) => sort(owner, guild, [[role, 4]])),
      ...[a, b, c, d].map((role) => sort(owner, guild, [[role, 1]])),
      createRole(owner, guild, 'e').then(() => ({ errors: [] })),
      createRole(owner, guild, 'f').then(() => ({ errors: [] })),
    ]);
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    expect((await orderOf(guild)).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });
});

describe('setting roles', () => {
  it('gives a member exactly these, and their permissions at once', async () => {
    const { guild } = await guildWithManager();
    const managing = await createRole(owner, guild, 'channels', Permission.ManageChannels);
    const channel = `mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }`;
    const input = { guildId: guild.id, name: 'new' };
    expect((await member.ask(channel, { input })).errors).toHaveLength(1);
    const { data } = await setRoles(owner, guild, member, [managing.id]);
    expect(data.setMemberRoles.member).toEqual({ user: { id: member.id }, roles: [{ id: managing.id }] });
    expect((await member.ask(channel, { input })).errors).toEqual([]);
    expect((await setRoles(owner, guild, member, [])).data.setMemberRoles.member.roles).toEqual([]);
    expect((await member.ask(channel, { input })).errors).toHaveLength(1);
  });

  it('is limited to roles below the highest of the caller', async () => {
    const { guild, above, managing } = await guildWithManager();
    const below = await createRole(owner, guild, 'below', 0n);
    expect((await setRoles(manager, guild, member, [below.id])).errors).toEqual([]);
    expect((await setRoles(manager, guild, member, [below.id, managing.id])).errors[0]?.extensions.code).toBe(
      'FORBIDDEN',
    );
    expect((await setRoles(manager, guild, member, [above.id])).errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await setRoles(manager, guild, manager, [])).errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await setRoles(member, guild, member, [below.id])).errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('never adds or removes a managed role or `@everyone`', async () => {
    const guild = await createGuild(owner);
    await invite(owner, guild, member);
    const application = await createApplication(owner);
    await install(owner, application, guild);
    const managed = (await rolesOf(guild)).find((role) => role.name === application.name);
    expect((await setRoles(owner, guild, member, [managed?.id ?? ''])).errors[0]?.extensions.code).toBe('FORBIDDEN');
    const { data } = await setRoles(owner, guild, application, []);
    expect(data.setMemberRoles.member.roles).toEqual([{ id: managed?.id }]);
    const withEveryone = await setRoles(owner, guild, member, [guild.id]);
    expect(withEveryone.data.setMemberRoles.member.roles).toEqual([]);
  });

  it('finds neither members nor roles of another guild', async () => {
    const { guild } = await guildWithManager();
    const other = await createGuild(owner);
    const foreign = await createRole(owner, other, 'foreign');
    expect((await setRoles(owner, guild, member, [foreign.id])).errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await setRoles(owner, other, member, [])).errors[0]?.extensions.code).toBe('NOT_FOUND');
  });
});
