import { describe, expect } from 'vitest';
import { ALL_PERMISSIONS, DEFAULT_EVERYONE_PERMISSIONS } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import { createGuild, invite, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { createPerson } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let owner: Person;
let ada: Person;
let guild: MadeGuild;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, ada] = await Promise.all([signUp(server, 'owner'), signUp(server, 'ada')]);
  guild = await createGuild(owner);
  await invite(owner, guild, ada);
});

const target = () => ({ guildId: guild.id, userId: ada.id });

async function members(search: string): Promise<string[]> {
  const query = `query ($id: ID!, $search: String) {
    guild(id: $id) { members(first: 5, search: $search) { edges { node { user { id } } } pageInfo { hasNextPage } } }
  }`;
  const { edges, pageInfo } = (await owner.graphql(query, { id: guild.id, search })).guild.members;
  expect(pageInfo.hasNextPage).toBe(false);
  return edges.map(({ node }: { node: { user: { id: string } } }) => node.user.id);
}

const auditReasons = async (action: string) => {
  const where = { guildId: BigInt(guild.id), action };
  const entries = await server.app.db.reader.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
  return entries.map(({ reason }) => reason);
};

describe('the owner of a server', () => {
  test('renames and times out a member with a reason, and finds them by both names', async () => {
    const update = `mutation ($input: UpdateMemberInput!) {
      updateMember(input: $input) { member { nick mute deaf communicationDisabledUntil } }
    }`;
    const until = new Date(server.app.clock.now() + 60_000).toISOString();
    const input = { ...target(), nick: 'Heron', communicationDisabledUntil: until, reason: 'spam' };
    const { member } = (await owner.graphql(update, { input })).updateMember;
    expect(member).toEqual({ nick: 'Heron', mute: false, deaf: false, communicationDisabledUntil: until });
    expect(await auditReasons('MEMBER_UPDATE')).toEqual(['spam']);
    expect(await members('her')).toEqual([ada.id]);
    expect(await members('ada')).toEqual([ada.id]);
    expect(await members('nobody')).toEqual([]);
    const ended = await owner.graphql(update, { input: { ...target(), communicationDisabledUntil: null } });
    expect(ended.updateMember.member).toMatchObject({ nick: 'Heron', communicationDisabledUntil: null });
  });

  test('has all permissions, and a member has the default ones', async () => {
    const query = `query ($id: ID!) { guild(id: $id) { viewerPermissions } }`;
    expect((await owner.graphql(query, { id: guild.id })).guild.viewerPermissions).toBe(String(ALL_PERMISSIONS));
    const { viewerPermissions } = (await ada.graphql(query, { id: guild.id })).guild;
    expect(viewerPermissions).toBe(String(DEFAULT_EVERYONE_PERMISSIONS));
  });

  test('adds and removes single roles, also several at the same time', async () => {
    const create = 'mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } } }';
    const make = async (name: string): Promise<string> =>
      (await owner.graphql(create, { input: { guildId: guild.id, name } })).createRole.role.id;
    const [one, two] = [await make('first'), await make('second')];
    const change = (verb: 'add' | 'remove', roleId: string, person = owner) =>
      person.ask(
        `mutation ($input: MemberRoleInput!) { ${verb}MemberRole(input: $input) { member { roles { id } } } }`,
        { input: { ...target(), roleId, reason: 'watch' } },
      );
    await Promise.all([change('add', one), change('add', two)]);
    const { data } = await change('remove', one);
    expect(data.removeMemberRole.member.roles).toEqual([{ id: two }]);
    expect(await auditReasons('MEMBER_ROLE_UPDATE')).toEqual(['watch', 'watch', 'watch']);
    expect((await change('add', one, ada)).errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  test('kicks, bans and unbans a member', async () => {
    const kick = 'mutation ($input: MemberIdInput!) { kickMember(input: $input) { id } }';
    expect(await owner.graphql(kick, { input: { ...target(), reason: 'enough' } })).toEqual({
      kickMember: { id: ada.id },
    });
    expect(await auditReasons('MEMBER_KICK')).toEqual(['enough']);
    const ban = 'mutation ($input: BanMemberInput!) { banMember(input: $input) { id } }';
    const input = { ...target(), reason: 'for good', deleteMessageSeconds: 60 };
    expect(await owner.graphql(ban, { input })).toEqual({ banMember: { id: ada.id } });
    const bans = `query ($id: ID!) { guild(id: $id) { bans { edges { node { reason user { id } } } } } }`;
    expect((await owner.graphql(bans, { id: guild.id })).guild.bans.edges).toEqual([
      { node: { reason: 'for good', user: { id: ada.id } } },
    ]);
    const unban = 'mutation ($input: MemberIdInput!) { unbanMember(input: $input) { id } }';
    expect(await owner.graphql(unban, { input: target() })).toEqual({ unbanMember: { id: ada.id } });
    expect((await owner.graphql(bans, { id: guild.id })).guild.bans.edges).toEqual([]);
  });

  test('counts inactive members and removes them', async () => {
    const bob = await signUp(server, 'bob');
    await invite(owner, guild, bob);
    const { writer } = server.app.db;
    const longAgo = new Date(server.app.clock.now() - 20 * 86_400_000);
    const key = { guildId_userId: { guildId: BigInt(guild.id), userId: BigInt(bob.id) } };
    await writer.member.update({ where: key, data: { joinedAt: longAgo } });
    await writer.authUser.update({ where: { userId: BigInt(bob.id) }, data: { seenAt: longAgo } });
    const query = `query ($id: ID!, $days: Int, $roleIds: [ID!]) {
      guild(id: $id) { inactiveMemberCount(days: $days, roleIds: $roleIds) }
    }`;
    const counted = async (variables: object) =>
      (await owner.graphql(query, { id: guild.id, ...variables })).guild.inactiveMemberCount;
    expect([await counted({}), await counted({ days: 21, roleIds: ['1'] })]).toEqual([1, 0]);
    const prune = 'mutation ($input: PruneMembersInput!) { pruneMembers(input: $input) { pruned } }';
    const input = { guildId: guild.id, days: 10, reason: 'spring' };
    expect(await owner.graphql(prune, { input })).toEqual({ pruneMembers: { pruned: 1 } });
    expect(await auditReasons('MEMBER_PRUNE')).toEqual(['spring']);
    const refused = await ada.ask(prune, { input });
    expect(refused.errors.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
    const [fault] = (await owner.ask(prune, { input: { ...input, days: 31 } })).errors;
    expect(fault?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: { days: [{}] } });
  });

  test('bans several users at once, each independently of the others', async () => {
    const people = await Promise.all([createPerson(server.app), createPerson(server.app)]);
    const ids = people.map(({ id }) => String(id));
    const ban = 'mutation ($input: BanMembersInput!) { banMembers(input: $input) { bannedIds failedIds } }';
    const input = { guildId: guild.id, userIds: [...ids, owner.id], reason: 'a raid' };
    const { banMembers } = await owner.graphql(ban, { input });
    expect(banMembers).toEqual({ bannedIds: ids, failedIds: [owner.id] });
    const bans = await server.app.db.reader.ban.findMany({ where: { guildId: BigInt(guild.id) } });
    expect(bans.map(({ reason }) => reason)).toEqual(['a raid', 'a raid']);
  });

  test('changes and deletes a role', async () => {
    const create = `mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id color } } }`;
    const { role } = (await owner.graphql(create, { input: { guildId: guild.id, name: 'one', color: 5 } })).createRole;
    expect(role.color).toBe(5);
    const update = `mutation ($input: UpdateRoleInput!) {
      updateRole(input: $input) { role { name color hoist mentionable managed } }
    }`;
    const input = { guildId: guild.id, roleId: role.id, name: 'two', hoist: true };
    expect((await owner.graphql(update, { input })).updateRole.role).toEqual({
      name: 'two',
      color: 5,
      hoist: true,
      mentionable: false,
      managed: false,
    });
    const remove = 'mutation ($input: RoleIdInput!) { deleteRole(input: $input) { id } }';
    expect(await owner.graphql(remove, { input: { guildId: guild.id, roleId: role.id } })).toEqual({
      deleteRole: { id: role.id },
    });
  });
});
