import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { connectBox } from '../../src/domain/boxes/index.js';
import { topics } from '../../src/infra/streams/topics.js';
import { it } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { socketClient, subscribe } from '../harness/sockets.js';
import { statementsOf } from '../harness/statements.js';
import {
  acceptInvitation,
  addToTeam,
  createTeam,
  inviteToTeam,
  type MadeTeam,
  removeFromTeam,
  renameTeam,
  transferApplication,
} from '../harness/teams.js';

const LISTS = `applications { id name iconUrl effectiveRole ownerTeam { id name iconUrl } } teams { id name iconUrl }
  guilds { id name iconUrl }`;
const SHOWN = `${LISTS} applications { serverCount botOnline } boxes { id name status } teamInvitations { id } testerInvitations { application { id } }`;

let server: TestServer;
let ada: Person;
let names = 0;
const clients: Client[] = [];
const sessions: GatewayClient[] = [];
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
  await Promise.all(sessions.splice(0).map((session) => session.close()));
});

async function newPerson(): Promise<Person> {
  names += 1;
  return signUp(server, `person${names}`);
}

const mutate = (person: Person, mutation: string, type: string, input: object, shown = 'id'): Promise<Loose> =>
  person.graphql(`mutation ($input: ${type}!) { done: ${mutation}(input: $input) { ${shown} } }`, { input });

describe('portalHome', () => {
  it('has the same lists as the root fields', async () => {
    const bob = await newPerson();
    await createApplication(bob);
    await createTeam(bob);
    await createGuild(bob);
    const { portalHome, ...roots } = await bob.graphql(`{ ${LISTS} portalHome { ${LISTS} } }`);
    expect(portalHome).toEqual(roots);
    expect(Object.values(roots).map((list) => (list as Loose[]).length)).toEqual([1, 1, 1]);
  });

  it('takes the same number of statements for one entry of each list as for many: 9 at most', async () => {
    const bob = await newPerson();
    const makeOne = async () => {
      await transferApplication(bob, await createApplication(bob), await createTeam(bob));
      await createGuild(bob);
    };
    const ask = () => bob.graphql(`{ portalHome { ${LISTS} } }`);
    await makeOne();
    await ask();
    const forOne = (await statementsOf(ask)).length;
    for (let n = 0; n < 5; n += 1) await makeOne();
    expect((await statementsOf(ask)).length).toBe(forOne);
    expect(forOne).toBeLessThanOrEqual(9);
  });
});

describe('portalHomeChanged', () => {
  let bob: Person;
  let application: MadeApplication;
  let teamApplication: MadeApplication;
  let invitingApplication: MadeApplication;
  /** Owned by ada, with bob as a member. */
  let team: MadeTeam;
  let ownTeam: MadeTeam;
  let guild: MadeGuild;
  let adasGuild: MadeGuild;
  let boxId: string;
  let invitation: string;
  beforeEach(async () => {
    bob = await newPerson();
    application = await createApplication(bob, 'Own bot');
    team = await createTeam(ada, 'Otters');
    await addToTeam(ada, team, bob, 'DEVELOPER');
    ownTeam = await createTeam(bob, 'Own team');
    teamApplication = await createApplication(ada, 'Otter bot');
    await transferApplication(ada, teamApplication, team);
    invitingApplication = await createApplication(ada, 'Inviting bot');
    await mutate(ada, 'inviteTester', 'InviteTesterInput', testerInput(), 'tester { state }');
    invitation = await inviteToTeam(ada, await createTeam(ada, 'Inviting team'), bob);
    guild = await createGuild(bob, 'Own server');
    adasGuild = await createGuild(ada, 'Otter server');
    await invite(ada, adasGuild, bob);
    boxId = (await mutate(bob, 'createBox', 'CreateBoxInput', { name: 'Cellar' }, 'box { id }')).done.box.id;
  });

  const testerInput = () => ({ applicationId: invitingApplication.id, userId: bob.id });
  const ask = async (): Promise<Loose> => (await bob.graphql(`{ portalHome { ${SHOWN} } }`)).portalHome;
  const changeIcon = async (path: string, authorization: string) => {
    const response = await fetch(`${server.origin}/api/v10${path}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ icon: ICON }),
    });
    expect(response.status).toBe(200);
  };
  async function connectBot({ botToken }: MadeApplication): Promise<void> {
    const session = await GatewayClient.open(server.origin);
    sessions.push(session);
    await session.ready(botToken);
  }

  const deletion = ({ id, name }: MadeApplication) => ({ applicationId: id, name });

  /** Runs `operate` while a page is open. Returns the states before and after it, and the values that the page received. */
  async function toldOf(operate: () => Promise<unknown>): Promise<Loose[]> {
    const client = socketClient(server, { token: bob.token });
    clients.push(client);
    const changes = await subscribe(client, `subscription { portalHomeChanged { ${SHOWN} } }`);
    const told: Loose[] = [];
    const next = async () => told.push((await changes.next()).data.portalHomeChanged);
    const before = await ask();
    await operate();
    const after = await ask();
    if (!isDeepStrictEqual(after, before)) await next();
    await createTeam(bob, 'Last');
    await next();
    expect(told.at(-1)?.teams.at(-1).name).toBe('Last');
    return [before, after, ...told.slice(0, -1)];
  }

  it.each<[string, () => Promise<unknown>]>([
    ['an application is made', () => createApplication(bob)],
    ['it is renamed', () => update(bob, application.id, { name: 'New name' })],
    ['its bot gives it an icon', () => changeIcon('/applications/@me', `Bot ${application.botToken}`)],
    ['it is installed', () => install(bob, application, guild)],
    ['its bot connects', () => connectBot(application)],
    ['it is moved to a team', () => transferApplication(bob, application, ownTeam)],
    ['it is deleted', () => mutate(bob, 'deleteApplication', 'DeleteApplicationInput', deletion(application))],
    ['an application of a team is renamed', () => update(ada, teamApplication.id, { name: 'New name' })],
    ['an application of a team gets an icon', () => changeIcon('/applications/@me', `Bot ${teamApplication.botToken}`)],
    [
      'an application of a team is deleted',
      () => mutate(ada, 'deleteApplication', 'DeleteApplicationInput', deletion(teamApplication)),
    ],
    ['the owner moves one to a team', () => transferApplication(ada, invitingApplication, team)],
    ['a team is made', () => createTeam(bob)],
    ['a team is renamed', () => renameTeam(ada, team, 'Badgers')],
    ['a team gets an icon', () => changeIcon(`/developer-portal/teams/${team.id}`, `Bearer ${ada.token}`)],
    ['an invitation to a team is accepted', () => acceptInvitation(bob, invitation)],
    ['a team is left', () => removeFromTeam(bob, team, bob)],
    ['a team removes them', () => removeFromTeam(ada, team, bob)],
    ['a team is deleted', () => mutate(bob, 'deleteTeam', 'TeamIdInput', { teamId: ownTeam.id })],
    ['a server is made', () => createGuild(bob)],
    ['a server is joined', async () => invite(ada, await createGuild(ada), bob)],
    [
      'a server is renamed',
      () => mutate(ada, 'updateGuild', 'UpdateGuildInput', { guildId: adasGuild.id, name: 'New' }, 'guild { id }'),
    ],
    ['a server is left', () => mutate(bob, 'leaveGuild', 'GuildIdInput', { guildId: adasGuild.id })],
    [
      'a server removes them',
      () => mutate(ada, 'kickMember', 'MemberIdInput', { guildId: adasGuild.id, userId: bob.id }),
    ],
    ['a server is deleted', () => mutate(ada, 'deleteGuild', 'GuildIdInput', { guildId: adasGuild.id })],
    ['a box is made', () => mutate(bob, 'createBox', 'CreateBoxInput', { name: 'Attic' }, 'box { id }')],
    ['a box is renamed', () => mutate(bob, 'renameBox', 'RenameBoxInput', { boxId, name: 'Attic' }, 'box { id }')],
    ['a box connects', () => connectBox(server.app.callOfNobody(), BigInt(boxId), { protocolVersion: 1 })],
    ['a box is deleted', () => mutate(bob, 'deleteBox', 'BoxIdInput', { boxId })],
    [
      'a test is declined',
      () => mutate(bob, 'declineTesterInvitation', 'ApplicationIdInput', { applicationId: invitingApplication.id }),
    ],
  ])('sends the current state once when %s', { tags: ['slow'] }, async (_what, operate) => {
    const [before, after, ...told] = await toldOf(operate);
    expect(after).not.toEqual(before);
    expect(told).toEqual([after]);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'a user creates an application, a team and a server',
      async () => {
        await createApplication(ada);
        await createTeam(ada);
        await createGuild(ada);
      },
    ],
    ['another joins a server of theirs', async () => invite(bob, guild, ada)],
    [
      'a tester of theirs is invited',
      () =>
        mutate(
          bob,
          'inviteTester',
          'InviteTesterInput',
          { applicationId: application.id, userId: ada.id },
          'tester { state }',
        ),
    ],
  ])('sends nothing when %s', async (_what, operate) => {
    const [before, after, ...told] = await toldOf(operate);
    expect([after, told]).toEqual([before, []]);
  });

  it('sends changes to an application that was created while it was open', async () => {
    const client = socketClient(server, { token: bob.token });
    clients.push(client);
    const changes = await subscribe(client, 'subscription { portalHomeChanged { applications { name } } }');
    const made = await createApplication(bob, 'Young bot');
    await changes.next();
    await update(bob, made.id, { name: 'Grown bot' });
    expect((await changes.next()).data.portalHomeChanged.applications.at(-1)).toEqual({ name: 'Grown bot' });
  });

  it('takes four statements for each change in addition to those of the lists, however long these are', async () => {
    const client = socketClient(server, { token: bob.token });
    clients.push(client);
    const changes = await subscribe(client, `subscription { portalHomeChanged { ${LISTS} } }`);
    const lists = (await statementsOf(() => bob.graphql(`{ portalHome { ${LISTS} } }`))).length;
    const change = () =>
      statementsOf(async () => {
        server.app.publish({ type: 'PORTAL_HOME_UPDATED', userId: BigInt(bob.id) });
        await changes.next();
      });
    expect((await change()).length).toBeLessThanOrEqual(lists + 4);
    await createTeam(bob);
    await changes.next();
    expect((await change()).length).toBeLessThanOrEqual(lists + 4);
  });

  it('publishes nothing to a bot that joins or leaves a server', async () => {
    const heard: string[] = [];
    const subscription = server.app.bus.subscribe(topics.user(application.id), ({ type }) => heard.push(type));
    await subscription.ready;
    const installation = await install(bob, application, guild);
    await mutate(bob, 'uninstallApplication', 'InstallationIdInput', { installationId: installation });
    expect(heard).toEqual(['GUILD_JOINED', 'GUILD_LEFT']);
    subscription.close();
  });
});

const ICON =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
