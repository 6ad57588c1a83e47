import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let owner: Person;
let manager: Person;
let member: Person;
beforeAll(async () => {
  server = await startServer();
  [owner, manager, member] = await Promise.all([
    signUp(server, 'owner'),
    signUp(server, 'manager'),
    signUp(server, 'member'),
  ]);
});
afterAll(() => server.stop());

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

async function rolesOf(guild: MadeGuild): Promise<{ id: string; name: string; position: number }[]> {
  const query = `query ($id: ID!) { guild(id: $id) { roles { id name position } } }`;
  return (await owner.graphql(query, { id: guild.id })).guild.roles;
}

/** A guild in which `manager` has a role with ManageRoles, below one named `above`. */
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
  it('ranks just above @everyone and moves the others up', async () => {
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

  it('has the permissions of @everyone when none are given, and keeps known bits only', async () => {
    const guild = await createGuild(owner);
    const everyone = await server.app.db.reader.role.findUniqueOrThrow({ where: { id: BigInt(guild.id) } });
    expect((await createRole(owner, guild, 'plain')).permissions).toBe(String(everyone.permissions));
    const wide = await createRole(owner, guild, 'wide', (1n << 100n) | Permission.KickMembers);
    expect(wide.permissions).toBe(String(Permission.KickMembers));
  });

  it('cannot carry what its maker lacks', async () => {
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
    'is refused the permissions %j',
    async (permissions) => {
      const guild = await createGuild(owner);
      const { errors } = await owner.ask(CREATE_ROLE, { input: { guildId: guild.id, name: 'odd', permissions } });
      expect(errors[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        fields: { permissions: expect.anything() },
      });
    },
  );

  it('stands alone at its position when ten are made at once', async () => {
    const guild = await createGuild(owner);
    await Promise.all(Array.from({ length: 10 }, (_, n) => createRole(owner, guild, `role ${n}`, 0n)));
    expect((await rolesOf(guild)).map((role) => role.position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
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

  it('reaches only roles below the highest of whoever sets them', async () => {
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

  it('never gives or takes a managed role or @everyone', async () => {
    const guild = await createGuild(owner);
    await invite(owner, guild, member);
    const application = await createApplication(owner);
    await install(owner, application, guild);
    const managed = (await rolesOf(guild)).find((role) => role.name === application.name);
    expect((await setRoles(owner, guild, member, [managed?.id ?? ''])).errors[0]?.extensions.code).toBe('FORBIDDEN');
    const { data } = await setRoles(owner, guild, application, []);
    expect(data.setMemberRoles.member.roles).toEqual([{ id: managed?.id }]);
    expect((await setRoles(owner, guild, member, [guild.id])).errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('finds neither members nor roles of elsewhere', async () => {
    const { guild } = await guildWithManager();
    const other = await createGuild(owner);
    const foreign = await createRole(owner, other, 'foreign');
    expect((await setRoles(owner, guild, member, [foreign.id])).errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await setRoles(owner, other, member, [])).errors[0]?.extensions.code).toBe('NOT_FOUND');
  });
});
