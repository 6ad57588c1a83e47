import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
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

let server: TestServer;
let people: Record<'owner' | 'admin' | 'developer' | 'reader' | 'outsider', Person>;
let applicationId: string;
let guildId: string;
let channelId: string;
let teamId: string;
beforeAll(async () => {
  server = await startServer();
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
afterAll(() => server.stop());

describe('what the caller may do', () => {
  it.each<[keyof typeof people, string[], string[]]>([
    ['owner', [...MANAGES, 'DELETE'], [...MANAGES_TEAM, 'TRANSFER_OWNERSHIP', 'DELETE']],
    ['admin', MANAGES, [...MANAGES_TEAM, 'LEAVE']],
    ['developer', DEVELOPS, ['VIEW', 'VIEW_AUDIT_LOG', 'LEAVE']],
    ['reader', LOOKS, ['VIEW', 'VIEW_AUDIT_LOG', 'LEAVE']],
  ])('as %s: %j with an application of the team, %j with the team', async (name, withApplication, withTeam) => {
    const { application, team } = await people[name].graphql(
      'query ($application: ID!, $team: ID!) { application(id: $application) { viewerOperations } team(id: $team) { viewerOperations } }',
      { application: applicationId, team: teamId },
    );
    expect(application.viewerOperations).toEqual(withApplication);
    expect(team.viewerOperations).toEqual(withTeam);
  });

  it('with an application met on a server: nothing', async () => {
    const { guild } = await people.outsider.graphql(
      'query ($id: ID!) { guild(id: $id) { installations { application { id viewerOperations } } } }',
      { id: guildId },
    );
    expect(guild.installations).toEqual([{ application: { id: applicationId, viewerOperations: [] } }]);
  });

  it('with a server: its owner deletes it, others leave it', async () => {
    const query = 'query ($id: ID!) { guild(id: $id) { viewerOperations } }';
    expect((await people.owner.graphql(query, { id: guildId })).guild.viewerOperations).toEqual(['DELETE']);
    expect((await people.outsider.graphql(query, { id: guildId })).guild.viewerOperations).toEqual(['LEAVE']);
  });

  it('with a team that invites them: nothing', async () => {
    await inviteToTeam(people.owner, { id: teamId }, people.outsider);
    const { portalHome } = await people.outsider.graphql(
      '{ portalHome { teamInvitations { team { viewerOperations } } } }',
    );
    expect(portalHome.teamInvitations.map(({ team }: Loose) => team.viewerOperations)).toEqual([[]]);
  });

  it('is told of each message: of the own ones, of those of others, and for who manages them', async () => {
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
