import { describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { codeOf, type Loose } from '../harness/graphql.js';
import { countListeners } from '../harness/listeners.js';
import { createApplication, createGuild, install, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { createBots, createPerson, putWebhooks } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { socketClient, subscribe } from '../harness/sockets.js';
import { rowsReadBy } from '../harness/statements.js';
import { askAnswer, askInvite, createTeam, putTeam, transferApplication } from '../harness/teams.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let teamId: string;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  teamId = String(await putTeam(server, ada, []));
  const bob = await signUp(server, 'bob');
  for (let n = 0; n < 4; n += 1) {
    const bot = await createApplication(ada);
    await install(ada, bot, guild);
    await transferApplication(ada, bot, { id: teamId });
    await putWebhooks(server, 1, {
      applicationId: BigInt(bot.id),
      guildId: BigInt(guild.id),
      channelId: BigInt(guild.textChannelId),
      creatorId: BigInt(ada.id),
    });
    const bobs = await putTeam(server, bob, []);
    await askInvite(bob, { id: String(bobs) }, { email: ada.email });
    const { id } = await createApplication(bob);
    const createdAt = new Date(server.app.clock.now() - n);
    await server.app.db.writer.tester.create({
      data: { applicationId: BigInt(id), userId: BigInt(ada.id), createdAt },
    });
    await createGuild(ada, `guild ${n}`);
    await createTeam(ada);
  }
});

const ARGS = '(first: $first, after: $after)';
const LISTS: [string, string, (data: Loose) => { id: string }[]][] = [
  ['applications', `applications${ARGS} { id }`, (data) => data.applications],
  ['teams', `teams${ARGS} { id }`, (data) => data.teams],
  ['guilds', `guilds${ARGS} { id }`, (data) => data.guilds],
  ['Team.applications', `team(id: $team) { applications${ARGS} { id } }`, (data) => data.team.applications],
  ['Guild.webhooks', `guild(id: $guild) { webhooks${ARGS} { id } }`, (data) => data.guild.webhooks],
  ['Guild.installations', `guild(id: $guild) { installations${ARGS} { id } }`, (data) => data.guild.installations],
  ['PortalHome.applications', `portalHome { applications${ARGS} { id } }`, (data) => data.portalHome.applications],
  ['PortalHome.teams', `portalHome { teams${ARGS} { id } }`, (data) => data.portalHome.teams],
  ['PortalHome.guilds', `portalHome { guilds${ARGS} { id } }`, (data) => data.portalHome.guilds],
  [
    'PortalHome.teamInvitations',
    `portalHome { teamInvitations${ARGS} { id } }`,
    (data) => data.portalHome.teamInvitations,
  ],
  [
    'PortalHome.testerInvitations',
    `portalHome { testerInvitations${ARGS} { application { id } } }`,
    (data) => data.portalHome.testerInvitations.map(({ application }: Loose) => application),
  ],
];

it.each([1, 3])(
  'a list has at most %d entries for each of many parents, however short the other lists are',
  async (first) => {
    const query = 'query ($first: Int) { teams { id applications(first: $first) { id } } }';
    const { teams } = await ada.graphql(query, { first });
    const lengths = teams.map(({ id, applications }: Loose) => [id === teamId, applications.length]);
    expect(lengths).toEqual(teams.map(({ id }: Loose) => (id === teamId ? [true, first] : [false, 0])));
  },
);

describe.each(LISTS)('%s', (_name, fields, entriesOf) => {
  const ask = (args: object) =>
    ada.ask(
      `query ($first: Int, $after: ID, $team: ID!, $guild: ID!) { ${fields} t: team(id: $team) { id } g: guild(id: $guild) { id } }`,
      { ...args, team: teamId, guild: guild.id },
    );
  const ids = async (args: object) => entriesOf((await ask(args)).data).map(({ id }) => id);

  it('is read in pages without gaps or overlaps', async () => {
    const all = await ids({});
    expect(all.length).toBeGreaterThanOrEqual(4);
    const walked: string[] = [];
    for (;;) {
      const part = await ids({ first: 2, after: walked.at(-1) });
      if (part.length === 0) break;
      expect(part.length).toBeLessThanOrEqual(2);
      walked.push(...part);
    }
    expect(walked).toEqual(all);
  });

  it.each([{ first: 0 }, { first: 201 }, { after: 'x' }])('is refused for %j', async (args) => {
    const { errors } = await ask(args);
    expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });
});

it('the list of tester invitations continues after a cursor whose invitation is gone', async () => {
  const ask = async (args: string): Promise<string[]> => {
    const { portalHome } = await ada.graphql(`{ portalHome { testerInvitations${args} { application { id } } } }`);
    return portalHome.testerInvitations.map(({ application }: Loose) => application.id);
  };
  const [gone = '', ...others] = await ask('');
  expect(others.length).toBeGreaterThanOrEqual(3);
  const { writer } = server.app.db;
  await writer.tester.deleteMany({ where: { applicationId: BigInt(gone), userId: BigInt(ada.id) } });
  expect(await ask(`(after: "${gone}")`)).toEqual(others);
});

it('a change to a team reads at most 200 of its applications', async () => {
  const fay = await signUp(server, 'fay');
  const id = await putTeam(server, fay, []);
  await createBots(server.app, 300, { ownerTeamId: id });
  const client = socketClient(server, { token: fay.token });
  const listeners = countListeners(server);
  const changes = await subscribe(client, `subscription { teamChanged(teamId: "${id}") { name } }`);
  expect(listeners.count()).toBeLessThan(210);
  const rows = await rowsReadBy(async () => {
    server.app.publish({ type: 'TEAM_UPDATED', teamId: id });
    await changes.next();
  });
  expect(rows).toBeLessThan(220);
  await client.dispose();
  await listeners.none();
});

it('a change to a portal home reads at most 200 entries of each of its lists', async () => {
  const gus = await signUp(server, 'gus');
  await createBots(server.app, 300, { ownerUserId: BigInt(gus.id) });
  const client = socketClient(server, { token: gus.token });
  const listeners = countListeners(server);
  const changes = await subscribe(client, 'subscription { portalHomeChanged { teams { id } } }');
  expect(listeners.count()).toBe(202);
  const rows = await rowsReadBy(async () => {
    server.app.publish({ type: 'PORTAL_HOME_UPDATED', userId: BigInt(gus.id) });
    await changes.next();
  });
  expect(rows).toBeLessThan(220);
  await client.dispose();
  await listeners.none();
});

it('a list without a page size reads at most 200 entries', async () => {
  const cleo = await signUp(server, 'cleo');
  await createBots(server.app, 300, { ownerUserId: BigInt(cleo.id) });
  const rows = await rowsReadBy(async () => {
    expect((await cleo.graphql('{ applications { id } }')).applications).toHaveLength(200);
  });
  // Each entry takes two rows: its id and the entry itself.
  expect(rows).toBeLessThan(420);
});

it('long lists of several teams are read separately', async () => {
  const dan = await signUp(server, 'dan');
  for (let n = 0; n < 2; n += 1) {
    const ownerTeamId = await putTeam(server, dan, []);
    await createBots(server.app, 4 * (n + 1), { ownerTeamId });
  }
  const { teams } = await dan.graphql('{ teams { applications(first: 3) { id } } }');
  expect(teams.map(({ applications }: Loose) => applications.length)).toEqual([3, 3]);
});

it('a team has at most 100 members', async () => {
  const eve = await signUp(server, 'eve');
  const id = await putTeam(server, eve, []);
  const joinedAt = new Date(server.app.clock.now());
  for (let n = 1; n < 100; n += 1) {
    const { id: userId } = await createPerson(server.app);
    await server.app.db.writer.teamMember.create({ data: { teamId: id, userId, role: 'DEVELOPER', joinedAt } });
  }
  const { data } = await askInvite(eve, { id: String(id) }, { email: ada.email });
  const invitationId = data.inviteTeamMember.invitation.id;
  expect(codeOf(await askAnswer(ada, 'accept', invitationId))).toBe('LIMIT_EXCEEDED');
  const { team } = await eve.graphql(
    `{ team(id: "${id}") { members { user { id } } invitations(state: PENDING) { id } } }`,
  );
  expect(team.members).toHaveLength(100);
  expect(team.invitations).toEqual([{ id: invitationId }]);
});
