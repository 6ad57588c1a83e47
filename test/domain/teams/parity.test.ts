import { describe, expect } from 'vitest';
import {
  APPLICATION_PERMISSIONS,
  type ApplicationOperation,
  mayWithApplication,
  mayWithTeam,
  type PortalRole,
  TEAM_PERMISSIONS,
  type TeamOperation,
} from '../../../src/domain/portal-permissions.js';
import { it } from '../../harness/fixtures.js';
import { askGraphql, type Loose } from '../../harness/graphql.js';
import { type Person, signUp } from '../../harness/people.js';
import { ask } from '../../harness/rest.js';
import { createPerson, putWebhooks } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { putTeam } from '../../harness/teams.js';
import { createBot, userOf } from '../../harness/world.js';

/** The role of each actor in the team, and in the application it owns; null for none. */
const ACTORS = {
  owner: { team: 'OWNER', application: 'OWNER' },
  admin: { team: 'ADMIN', application: 'ADMIN' },
  developer: { team: 'DEVELOPER', application: 'DEVELOPER' },
  'read-only': { team: 'READ_ONLY', application: 'READ_ONLY' },
  'who transferred it, and left': { team: null, application: 'OWNER' },
  outsider: { team: null, application: null },
} as const satisfies Record<string, Record<'team' | 'application', PortalRole | null>>;

type ActorName = keyof typeof ACTORS;

type Outcome = 'done' | 'conflict' | 'forbidden' | 'not found' | 'unauthenticated';

interface World {
  me: string;
  team: string;
  /** A team of the same people without an application. */
  emptyTeam: string;
  application: string;
  /** Owned by the actor. */
  personalApplication: string;
  member: string;
  invited: string;
  invitation: string;
  tester: string;
  /** Belongs to the application. */
  emoji: string;
  webhook: string;
  email: string;
}

interface Operation {
  name: string;
  on: { team: TeamOperation } | { application: ApplicationOperation };
  /** The outcome for actors who have the permission; `done` by default. */
  outcome?: 'conflict';
  graphql(world: World): [query: string, variables: object];
  /** Undefined if the REST API has no such route. */
  rest?(world: World): [method: string, path: string, json?: object];
}

const mutation = (name: string, input: string, fields: string) =>
  `mutation ($input: ${input}!) { ${name}(input: $input) { ${fields} } }`;

const OPERATIONS: Operation[] = [
  {
    name: 'look at the application',
    on: { application: 'view' },
    graphql: ({ application }) => ['query ($id: ID!) { application(id: $id) { id } }', { id: application }],
  },
  {
    name: 'list the testers',
    on: { application: 'viewTesters' },
    graphql: ({ application }) => [
      'query ($id: ID!) { application(id: $id) { testers { state } } }',
      { id: application },
    ],
    rest: ({ application }) => ['GET', `/developer-portal/applications/${application}/testers`],
  },
  {
    name: "read the application's audit log",
    on: { application: 'viewAuditLog' },
    graphql: ({ application }) => [
      'query ($id: ID!) { application(id: $id) { auditLog { edges { cursor } } } }',
      { id: application },
    ],
  },
  {
    name: "read the application's interactions",
    on: { application: 'viewInteractions' },
    graphql: ({ application }) => [
      'query ($id: ID!) { application(id: $id) { interactions { edges { cursor } } } }',
      { id: application },
    ],
  },
  {
    name: 'register a command',
    on: { application: 'manageCommands' },
    graphql: ({ application }) => [
      mutation('createCommand', 'CreateCommandInput', 'command { id }'),
      { input: { applicationId: application, command: { name: 'play', description: 'Plays a song' } } },
    ],
  },
  {
    name: 'rename an emoji',
    on: { application: 'manageEmojis' },
    graphql: ({ application, emoji }) => [
      mutation('updateApplicationEmoji', 'UpdateApplicationEmojiInput', 'emoji { id }'),
      { input: { applicationId: application, emojiId: emoji, name: 'heron' } },
    ],
  },
  {
    name: 'rename a webhook',
    on: { application: 'manageWebhooks' },
    graphql: ({ webhook }) => [
      mutation('updateWebhook', 'UpdateWebhookInput', 'webhook { id }'),
      { input: { webhookId: webhook, name: 'Heron' } },
    ],
  },
  {
    name: 'change the settings',
    on: { application: 'updateSettings' },
    graphql: ({ application }) => [
      mutation('updateApplication', 'UpdateApplicationInput', 'application { id }'),
      { input: { applicationId: application, description: 'changed' } },
    ],
  },
  {
    name: 'reset the client secret',
    on: { application: 'resetClientSecret' },
    graphql: ({ application }) => [
      mutation('resetClientSecret', 'ApplicationIdInput', 'clientSecret'),
      { input: { applicationId: application } },
    ],
    rest: ({ application }) => ['POST', `/developer-portal/applications/${application}/reset-secret`, {}],
  },
  {
    name: 'reset the bot token',
    on: { application: 'resetBotToken' },
    graphql: ({ application }) => [
      mutation('resetBotToken', 'ApplicationIdInput', 'botToken'),
      { input: { applicationId: application } },
    ],
  },
  {
    name: 'invite a tester',
    on: { application: 'manageTesters' },
    graphql: ({ application, member }) => [
      mutation('inviteTester', 'InviteTesterInput', 'tester { state }'),
      { input: { applicationId: application, userId: member } },
    ],
    rest: ({ application, member }) => [
      'POST',
      `/developer-portal/applications/${application}/testers`,
      { user_id: member },
    ],
  },
  {
    name: 'remove a tester',
    on: { application: 'manageTesters' },
    graphql: ({ application, tester }) => [
      mutation('removeTester', 'ApplicationUserInput', 'id'),
      { input: { applicationId: application, userId: tester } },
    ],
    rest: ({ application, tester }) => ['DELETE', `/developer-portal/applications/${application}/testers/${tester}`],
  },
  {
    name: "transfer the application, which is the team's for good",
    on: { application: 'transfer' },
    outcome: 'conflict',
    graphql: ({ application, team }) => [
      mutation('transferApplication', 'TransferApplicationInput', 'application { id }'),
      { input: { applicationId: application, teamId: team, appName: 'Team bot' } },
    ],
    rest: ({ application, team }) => [
      'POST',
      `/developer-portal/applications/${application}/transfer`,
      { team_id: team, app_name: 'Team bot' },
    ],
  },
  {
    name: 'delete the application',
    on: { application: 'delete' },
    graphql: ({ application }) => [
      mutation('deleteApplication', 'DeleteApplicationInput', 'id'),
      { input: { applicationId: application, name: 'Team bot' } },
    ],
  },
  {
    name: 'look at the team',
    on: { team: 'view' },
    graphql: ({ team }) => ['query ($id: ID!) { team(id: $id) { name members { role } } }', { id: team }],
    rest: ({ team }) => ['GET', `/developer-portal/teams/${team}`],
  },
  {
    name: 'list the members',
    on: { team: 'view' },
    graphql: ({ team }) => ['query ($id: ID!) { team(id: $id) { members { user { id } } } }', { id: team }],
    rest: ({ team }) => ['GET', `/developer-portal/teams/${team}/members`],
  },
  {
    name: "read the team's audit log",
    on: { team: 'viewAuditLog' },
    graphql: ({ team }) => ['query ($id: ID!) { team(id: $id) { auditLog { edges { cursor } } } }', { id: team }],
  },
  {
    name: 'rename the team',
    on: { team: 'update' },
    graphql: ({ team }) => [
      mutation('updateTeam', 'UpdateTeamInput', 'team { name }'),
      { input: { teamId: team, name: 'Renamed' } },
    ],
    rest: ({ team }) => ['PATCH', `/developer-portal/teams/${team}`, { name: 'Renamed' }],
  },
  {
    name: 'invite a member',
    on: { team: 'inviteMember' },
    graphql: ({ team, email }) => [
      mutation('inviteTeamMember', 'InviteTeamMemberInput', 'invitation { state }'),
      { input: { teamId: team, email, role: 'ADMIN' } },
    ],
    rest: ({ team, email }) => ['POST', `/developer-portal/teams/${team}/members`, { email, role: 'admin' }],
  },
  {
    name: 'revoke an invitation of somebody else',
    on: { team: 'revokeInvitation' },
    graphql: ({ invitation }) => [
      mutation('revokeTeamInvitation', 'InvitationIdInput', 'invitation { state }'),
      { input: { invitationId: invitation } },
    ],
    rest: ({ team, invited }) => ['DELETE', `/developer-portal/teams/${team}/members/${invited}`],
  },
  {
    name: 'change a role',
    on: { team: 'changeRole' },
    graphql: ({ team, member }) => [
      mutation('updateTeamMember', 'UpdateTeamMemberInput', 'team { id }'),
      { input: { teamId: team, userId: member, role: 'ADMIN' } },
    ],
    rest: ({ team, member }) => ['PATCH', `/developer-portal/teams/${team}/members/${member}`, { role: 'admin' }],
  },
  {
    name: 'remove a member',
    on: { team: 'removeMember' },
    graphql: ({ team, member }) => [
      mutation('removeTeamMember', 'TeamUserInput', 'team { id }'),
      { input: { teamId: team, userId: member } },
    ],
    rest: ({ team, member }) => ['DELETE', `/developer-portal/teams/${team}/members/${member}`],
  },
  {
    name: "give the team an application of one's own",
    on: { team: 'receiveApplication' },
    graphql: ({ team, personalApplication }) => [
      mutation('transferApplication', 'TransferApplicationInput', 'application { id }'),
      { input: { applicationId: personalApplication, teamId: team, appName: 'Own bot' } },
    ],
    rest: ({ team, personalApplication }) => [
      'POST',
      `/developer-portal/applications/${personalApplication}/transfer`,
      { team_id: team, app_name: 'Own bot' },
    ],
  },
  {
    name: 'leave the team',
    on: { team: 'leave' },
    graphql: ({ team, me }) => [
      mutation('removeTeamMember', 'TeamUserInput', 'team { id }'),
      { input: { teamId: team, userId: me } },
    ],
    rest: ({ team, me }) => ['DELETE', `/developer-portal/teams/${team}/members/${me}`],
  },
  {
    name: 'hand the team over',
    on: { team: 'transferOwnership' },
    graphql: ({ team, member }) => [
      mutation('transferTeamOwnership', 'TeamUserInput', 'team { id }'),
      { input: { teamId: team, userId: member } },
    ],
    rest: ({ team, member }) => ['PATCH', `/developer-portal/teams/${team}`, { owner_user_id: member }],
  },
  {
    name: 'delete the team',
    on: { team: 'delete' },
    graphql: ({ emptyTeam }) => [mutation('deleteTeam', 'TeamIdInput', 'id'), { input: { teamId: emptyTeam } }],
    rest: ({ emptyTeam }) => ['DELETE', `/developer-portal/teams/${emptyTeam}`],
  },
];

let server: TestServer;
const people = new Map<ActorName, Person>();
let member: Person;
let newcomer: Person;
const personOf = (name: ActorName) => people.get(name)!;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  for (const [index, name] of (Object.keys(ACTORS) as ActorName[]).entries()) {
    people.set(name, await signUp(server, `actor${index}`));
  }
  member = await signUp(server, 'member');
  newcomer = await signUp(server, 'newcomer');
});

const untouched = new Map<ActorName, World>();

/** Returns an unused world. A refused operation must not change it, or a later test fails. */
async function worldOf(actor: ActorName): Promise<World> {
  const world = untouched.get(actor) ?? (await makeWorld(actor));
  untouched.set(actor, world);
  return world;
}

async function makeWorld(actor: ActorName): Promise<World> {
  const { app } = server;
  const me = BigInt(personOf(actor).id);
  const members: [Person, 'ADMIN' | 'DEVELOPER' | 'READ_ONLY'][] = [
    [personOf('admin'), 'ADMIN'],
    [personOf('developer'), 'DEVELOPER'],
    [personOf('read-only'), 'READ_ONLY'],
    [member, 'DEVELOPER'],
  ];
  const team = await putTeam(server, personOf('owner'), members);
  const emptyTeam = await putTeam(server, personOf('owner'), members);
  const leaver = await userOf(app, personOf('who transferred it, and left'));
  const application = await createBot(app, { name: 'Team bot', owner: leaver });
  // Sets the state after a transfer and a leave, without doing both.
  const ownedByTeam = { ownerUserId: null, ownerTeamId: team, transferredById: leaver.id };
  await app.db.writer.application.update({ where: { id: application.id }, data: ownedByTeam });
  const personal = await createBot(app, { name: 'Own bot', owner: await userOf(app, personOf(actor)) });
  const invited = await createPerson(app);
  const tester = await createPerson(app);
  const createdAt = new Date(app.clock.now());
  await app.db.writer.tester.create({ data: { applicationId: application.id, userId: tester.id, createdAt } });
  const emoji = await app.db.writer.emoji.create({
    data: { id: app.nextId(), applicationId: application.id, name: 'otter', creatorId: application.id, roleIds: [] },
  });
  const ofApplication = { applicationId: application.id, guildId: 1n, channelId: 2n, creatorId: application.id };
  const [webhook] = await putWebhooks({ app }, 1, ofApplication);
  const invitation = await app.db.writer.teamInvitation.create({
    data: {
      id: app.nextId(),
      teamId: team,
      inviteeId: invited.id,
      inviterId: BigInt(member.id),
      role: 'DEVELOPER',
      pendingKey: `${team}:${invited.id}`,
      createdAt,
    },
  });
  return {
    me: String(me),
    team: String(team),
    emptyTeam: String(emptyTeam),
    application: String(application.id),
    emoji: String(emoji.id),
    webhook: String(webhook),
    personalApplication: String(personal.id),
    member: member.id,
    invited: String(invited.id),
    invitation: String(invitation.id),
    tester: String(tester.id),
    email: newcomer.email,
  };
}

const GRAPHQL_OUTCOMES: Record<string, Outcome> = {
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not found',
  CONFLICT: 'conflict',
  UNAUTHENTICATED: 'unauthenticated',
};
const REST_OUTCOMES: Record<string, Outcome> = {
  '403 50013': 'forbidden',
  '409 0': 'conflict',
  '401 0': 'unauthenticated',
};

interface Verdict {
  outcome: Outcome | string;
  text?: string;
}

async function byGraphql(operation: Operation, world: World, person: Person | null): Promise<Verdict> {
  const [query, variables] = operation.graphql(world);
  const headers: Record<string, string> = person ? { authorization: `Bearer ${person.token}` } : {};
  const { errors } = await askGraphql(server, query, variables, headers);
  const [error] = errors;
  if (!error) return { outcome: 'done' };
  return { outcome: GRAPHQL_OUTCOMES[error.extensions.code ?? ''] ?? JSON.stringify(error), text: error.message };
}

async function byRest(operation: Operation, world: World, person: Person | null): Promise<Verdict> {
  const [method, path, json] = operation.rest?.(world) ?? ['', ''];
  const headers: Record<string, string> = person ? { authorization: `Bearer ${person.token}` } : {};
  const { status, body } = await ask(server, method, path, { ...(json ? { json } : {}), headers });
  if (status < 300) return { outcome: 'done' };
  if (status === 404) return { outcome: 'not found', text: (body as Loose).message };
  return {
    outcome: REST_OUTCOMES[`${status} ${body.code}`] ?? `${status} ${JSON.stringify(body)}`,
    text: body.message,
  };
}

const FACES = [
  ['GraphQL', byGraphql],
  ['REST', byRest],
] as const;

function expectedOutcome({ on, outcome }: Operation, actor: ActorName): Outcome {
  const role = 'team' in on ? ACTORS[actor].team : ACTORS[actor].application;
  if (role === null) return 'not found';
  const may = 'team' in on ? mayWithTeam(role, on.team) : mayWithApplication(role, on.application);
  return may ? (outcome ?? 'done') : 'forbidden';
}

describe('the permissions are the same over GraphQL and REST', () => {
  const cells = OPERATIONS.flatMap((operation) =>
    (Object.keys(ACTORS) as ActorName[]).map((actor) => ({
      operation,
      actor,
      expected: expectedOutcome(operation, actor),
      title: `${actor}: ${operation.name}`,
    })),
  );

  it.each(cells)('$title → $expected', async ({ operation, actor, expected }) => {
    for (const [face, run] of FACES) {
      if (face === 'REST' && !operation.rest) continue;
      const { outcome } = await run(operation, await worldOf(actor), personOf(actor));
      if (outcome === 'done') untouched.delete(actor);
      expect(`${face}: ${outcome}`).toBe(`${face}: ${expected}`);
    }
  });

  it.each(OPERATIONS)('a caller who is not signed in is refused: $name', async (operation) => {
    const world = await worldOf('owner');
    expect((await byGraphql(operation, world, null)).outcome).toBe('unauthenticated');
    if (operation.rest) expect((await byRest(operation, world, null)).outcome).toBe('unauthenticated');
  });

  it.each(OPERATIONS)('hidden and missing objects have the same error: $name', async (operation) => {
    const outsider = personOf('outsider');
    const hidden = await worldOf('outsider');
    const missing: World = { ...hidden, team: '1', emptyTeam: '1', application: '1', invitation: '1' };
    for (const [face, run] of FACES) {
      if (face === 'REST' && !operation.rest) continue;
      const verdict = await run(operation, hidden, outsider);
      expect(verdict.text).toMatch(/^Unknown /);
      expect(await run(operation, missing, outsider)).toEqual(verdict);
    }
  });

  it('the tests cover every operation of the tables', () => {
    const tried = OPERATIONS.map(({ on }) => JSON.stringify(on));
    const all = [
      ...Object.keys(APPLICATION_PERMISSIONS).map((application) => JSON.stringify({ application })),
      ...Object.keys(TEAM_PERMISSIONS).map((team) => JSON.stringify({ team })),
    ];
    expect([...new Set(tried)].sort()).toEqual(all.sort());
  });
});
