import { beforeAll, describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { it } from '../harness/fixtures.js';
import { codeOf, type Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';
import { inviteToTeam, putTeam, transferApplication } from '../harness/teams.js';

const LOOKS = ['VIEW', 'VIEW_TESTERS', 'VIEW_AUDIT_LOG', 'VIEW_INTERACTIONS'];
const DEVELOPS = [
  ...LOOKS,
  'UPDATE_SETTINGS',
  'RESET_CLIENT_SECRET',
  'RESET_BOT_TOKEN',
  'MANAGE_COMMANDS',
  'MANAGE_EMOJIS',
  'MANAGE_WEBHOOKS',
];
const MANAGES = [...DEVELOPS, 'MANAGE_TESTERS', 'TRANSFER'];
const MANAGES_TEAM = [
  'VIEW',
  'VIEW_AUDIT_LOG',
  'UPDATE',
  'INVITE_MEMBER',
  'REVOKE_INVITATION',
  'CHANGE_ROLE',
  'REMOVE_MEMBER',
  'RECEIVE_APPLICATION',
];

const ROLE = ['UPDATE', 'MOVE', 'ASSIGN', 'DELETE'];

let server: TestServer;
let people: Record<'owner' | 'admin' | 'developer' | 'reader' | 'outsider', Person>;
let applicationId: string;
let guildId: string;
let channelId: string;
let teamId: string;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  const names = ['owner', 'admin', 'developer', 'reader', 'outsider'] as const;
  const made = await Promise.all(names.map((name) => signUp(server, name)));
  people = Object.fromEntries(names.map((name, index) => [name, made[index]])) as typeof people;
  const { owner, admin, developer, reader, outsider } = people;
  teamId = String(
    await putTeam(server, owner, [
      [admin, 'ADMIN'],
      [developer, 'DEVELOPER'],
      [reader, 'READ_ONLY'],
    ]),
  );
  const application = await createApplication(owner);
  await transferApplication(owner, application, { id: teamId });
  applicationId = application.id;
  const guild = await createGuild(owner);
  guildId = guild.id;
  channelId = guild.textChannelId;
  await install(owner, application, guild);
  await invite(owner, guild, outsider);
});

describe('the viewerOperations of an object', () => {
  it.each<[keyof typeof people, string[], string[]]>([
    ['owner', [...MANAGES, 'DELETE'], [...MANAGES_TEAM, 'TRANSFER_OWNERSHIP', 'DELETE']],
    ['admin', MANAGES, [...MANAGES_TEAM, 'LEAVE']],
    ['developer', DEVELOPS, ['VIEW', 'VIEW_AUDIT_LOG', 'LEAVE']],
    ['reader', LOOKS, ['VIEW', 'VIEW_AUDIT_LOG', 'LEAVE']],
  ])('are, for the team role %s, %j on an application and %j on the team', async (name, withApplication, withTeam) => {
    const { application, team } = await people[name].graphql(
      'query ($application: ID!, $team: ID!) { application(id: $application) { viewerOperations } team(id: $team) { viewerOperations } }',
      { application: applicationId, team: teamId },
    );
    expect(application.viewerOperations).toEqual(withApplication);
    expect(team.viewerOperations).toEqual(withTeam);
  });

  it('are empty on an application that the caller only sees in a server', async () => {
    const { guild } = await people.outsider.graphql(
      'query ($id: ID!) { guild(id: $id) { installations { application { id viewerOperations } } } }',
      { id: guildId },
    );
    expect(guild.installations).toEqual([{ application: { id: applicationId, viewerOperations: [] } }]);
  });

  it('are DELETE on a server for its owner, and LEAVE for others', async () => {
    const query = 'query ($id: ID!) { guild(id: $id) { viewerOperations } }';
    expect((await people.owner.graphql(query, { id: guildId })).guild.viewerOperations).toEqual(['DELETE']);
    expect((await people.outsider.graphql(query, { id: guildId })).guild.viewerOperations).toEqual(['LEAVE']);
  });

  it('are empty on a team that invites the caller', async () => {
    await inviteToTeam(people.owner, { id: teamId }, people.outsider);
    const { portalHome } = await people.outsider.graphql(
      '{ portalHome { teamInvitations { team { viewerOperations } } } }',
    );
    expect(portalHome.teamInvitations.map(({ team }: Loose) => team.viewerOperations)).toEqual([[]]);
  });

  it('depend on the author of a message and on the permission to manage messages', async () => {
    const { owner, outsider } = people;
    const own = await sendMessage(owner, channelId, 'of the owner');
    const others = await sendMessage(outsider, channelId, 'of another');
    const seenBy = async (person: Person) => {
      const { channel } = await person.graphql(
        'query ($id: ID!) { channel(id: $id) { messages(last: 2) { edges { node { id viewerOperations } } } } }',
        { id: channelId },
      );
      return channel.messages.edges.map(({ node }: Loose) => [node.id, node.viewerOperations]);
    };
    expect(await seenBy(owner)).toEqual([
      [own, ['REACT', 'EDIT', 'DELETE']],
      [others, ['REACT', 'DELETE']],
    ]);
    expect(await seenBy(outsider)).toEqual([
      [own, ['REACT']],
      [others, ['REACT', 'EDIT', 'DELETE']],
    ]);
  });
});

describe('the viewerOperations of members and roles', () => {
  const MODERATES = String(
    Permission.KickMembers |
      Permission.BanMembers |
      Permission.ModerateMembers |
      Permission.ManageNicknames |
      Permission.ManageRoles,
  );
  const NAMES = ['admin', 'above', 'moderator', 'equal', 'below'] as const;
  type Name = (typeof NAMES)[number] | 'owner';
  let crew: Record<Name, Person>;
  let crewId: string;
  const roleIds: Record<string, string> = {};

  beforeAll(async () => {
    const owner = await signUp(server, 'crew-owner');
    const guild = await createGuild(owner, 'Crew');
    crewId = guild.id;
    crew = { owner } as typeof crew;
    for (const name of NAMES) {
      crew[name] = await signUp(server, `crew-${name}`);
      await invite(owner, guild, crew[name]);
    }
    // Each new role has the lowest rank.
    const ranked = { admins: '8', high: '0', moderators: MODERATES, low: '0' };
    for (const [name, permissions] of Object.entries(ranked)) {
      const { createRole } = await owner.graphql(
        'mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } } }',
        { input: { guildId: crewId, name, permissions } },
      );
      roleIds[name] = createRole.role.id;
    }
    const given: [Name, string][] = [
      ['admin', 'admins'],
      ['above', 'high'],
      ['moderator', 'moderators'],
      ['equal', 'moderators'],
      ['below', 'low'],
    ];
    for (const [name, role] of given) {
      await change(owner, 'addMemberRole', 'MemberRoleInput', { userId: crew[name].id, roleId: roleIds[role] });
    }
  });

  /** @returns the error code; undefined on success */
  async function change(person: Person, mutation: string, type: string, input: object) {
    const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`;
    return codeOf(await person.ask(query, { input: { guildId: crewId, ...input } }));
  }

  const asked = async (person: Person) => {
    const { guild } = await person.graphql(
      'query ($id: ID!) { guild(id: $id) { roles { name viewerOperations } members(first: 50) { edges { node { user { id } viewerOperations } } } } }',
      { id: crewId },
    );
    return guild;
  };
  const withMembers = async (person: Person) => {
    const { members } = await asked(person);
    const byId = new Map<string, string[]>(
      members.edges.map(({ node }: Loose) => [node.user.id, node.viewerOperations]),
    );
    return (name: Name) => byId.get(crew[name].id);
  };

  const ALL = ['CHANGE_NICK', 'CHANGE_ROLES', 'TIME_OUT', 'KICK', 'BAN'];
  it.each<[Name, Record<Name, string[]>]>([
    [
      'owner',
      {
        owner: ['CHANGE_NICK', 'CHANGE_ROLES'],
        admin: ['CHANGE_NICK', 'CHANGE_ROLES', 'KICK', 'BAN'],
        above: ALL,
        moderator: ALL,
        equal: ALL,
        below: ALL,
      },
    ],
    [
      'admin',
      {
        owner: ['CHANGE_ROLES'],
        admin: ['CHANGE_NICK', 'CHANGE_ROLES'],
        above: ALL,
        moderator: ALL,
        equal: ALL,
        below: ALL,
      },
    ],
    [
      'moderator',
      {
        owner: ['CHANGE_ROLES'],
        admin: ['CHANGE_ROLES'],
        above: ['CHANGE_ROLES'],
        moderator: ['CHANGE_NICK', 'CHANGE_ROLES'],
        equal: ['CHANGE_ROLES'],
        below: ALL,
      },
    ],
    ['below', { owner: [], admin: [], above: [], moderator: [], equal: [], below: ['CHANGE_NICK'] }],
  ])('are, for the rank %s, on each member: %j', async (name, expected) => {
    const operations = await withMembers(crew[name]);
    const told = Object.keys(expected).map((target) => [target, operations(target as Name)]);
    expect(Object.fromEntries(told)).toEqual(expected);
  });

  it.each<[Name, Record<string, string[]>]>([
    ['owner', { '@everyone': ['UPDATE'], low: ROLE, moderators: ROLE, high: ROLE, admins: ROLE }],
    ['admin', { '@everyone': ['UPDATE'], low: ROLE, moderators: ROLE, high: ROLE, admins: [] }],
    ['moderator', { '@everyone': ['UPDATE'], low: ROLE, moderators: [], high: [], admins: [] }],
    ['below', { '@everyone': [], low: [], moderators: [], high: [], admins: [] }],
  ])('are, for the rank %s, on each role: %j', async (name, expected) => {
    const { roles } = await asked(crew[name]);
    expect(Object.fromEntries(roles.map((role: Loose) => [role.name, role.viewerOperations]))).toEqual(expected);
  });

  it('are what the mutations allow', async () => {
    const { moderator } = crew;
    const operations = await withMembers(moderator);
    const hour = new Date(Date.now() + 3_600_000).toISOString();
    const doneTo = (userId: string): Record<string, () => Promise<string | undefined>> => ({
      CHANGE_NICK: () => change(moderator, 'updateMember', 'UpdateMemberInput', { userId, nick: 'Sailor' }),
      CHANGE_ROLES: () => change(moderator, 'addMemberRole', 'MemberRoleInput', { userId, roleId: roleIds.low }),
      TIME_OUT: () =>
        change(moderator, 'updateMember', 'UpdateMemberInput', { userId, communicationDisabledUntil: hour }),
      KICK: () => change(moderator, 'kickMember', 'MemberIdInput', { userId }),
      BAN: () => change(moderator, 'banMember', 'BanMemberInput', { userId }),
    });
    for (const name of ['owner', 'above', 'equal', 'moderator'] as const) {
      for (const [operation, act] of Object.entries(doneTo(crew[name].id))) {
        const isTold = operations(name)?.includes(operation);
        expect([name, operation, await act()]).toEqual([name, operation, isTold ? undefined : 'FORBIDDEN']);
      }
    }
    const { KICK: _kick, ...others } = doneTo(crew.below.id);
    for (const act of Object.values(others)) expect(await act()).toBeUndefined();
  });

  it('take the same number of statements for many members as for few', async () => {
    const owner = await signUp(server, 'many-owner');
    const guild = await createGuild(owner, 'Many');
    const member = await signUp(server, 'many-0');
    await invite(owner, guild, member);
    const query =
      'query ($id: ID!) { guild(id: $id) { members(first: 50) { edges { node { viewerOperations } } } roles { viewerOperations } } }';
    const count = async () => {
      const ask = async () => (await statementsOf(() => member.graphql(query, { id: guild.id }))).length;
      return Math.min(await ask(), await ask());
    };
    const few = await count();
    for (let n = 1; n < 4; n += 1) {
      await invite(owner, guild, await signUp(server, `many-${n}`));
      await owner.graphql('mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } } }', {
        input: { guildId: guild.id, name: `role ${n}` },
      });
    }
    expect(await count()).toBe(few);
  });
});
