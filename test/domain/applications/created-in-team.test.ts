import { beforeEach, describe, expect } from 'vitest';
import { createApplication } from '../../../src/domain/applications/index.js';
import type { CallContext } from '../../../src/domain/call.js';
import { limits } from '../../../src/domain/limits.js';
import { transferTeamOwnership } from '../../../src/domain/teams/index.js';
import { it } from '../../harness/fixtures.js';
import { codeOf, type GraphqlAnswer, type Loose } from '../../harness/graphql.js';
import { between, meanwhile, noPostgres } from '../../harness/interleave.js';
import { outcome } from '../../harness/outcome.js';
import { type Person, signUp } from '../../harness/people.js';
import { createBots } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { needing } from '../../harness/skipping.js';
import { socketClient, subscribe } from '../../harness/sockets.js';
import { addToTeam, askTransfer, createTeam, type MadeTeam, removeFromTeam, setTeamRole } from '../../harness/teams.js';
import { callOf, userOf } from '../../harness/world.js';

const CREATE = `mutation ($input: CreateApplicationInput!) { createApplication(input: $input) {
  clientSecret botToken
  application { id effectiveRole ownerUser { id } ownerTeam { id } }
} }`;

let server: TestServer;
let owner: Person;
let admin: Person;
let developer: Person;
let reader: Person;
let outsider: Person;
let team: MadeTeam;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, admin, developer, reader, outsider] = (await Promise.all(
    ['owner', 'admin', 'developer', 'reader', 'outsider'].map((name) => signUp(server, name)),
  )) as [Person, Person, Person, Person, Person];
});
beforeEach(async () => {
  team = await createTeam(owner);
  await addToTeam(owner, team, admin, 'ADMIN');
  await addToTeam(owner, team, developer, 'DEVELOPER');
  await addToTeam(owner, team, reader, 'READ_ONLY');
});

const create = (person: Person, more: object = {}): Promise<GraphqlAnswer<Loose>> =>
  person.ask(CREATE, { input: { name: 'Helper', teamId: team.id, ...more } });
const made = async (person: Person) => (await create(person)).data.createApplication.application;
const applicationsOf = () => server.app.db.reader.application.count({ where: { ownerTeamId: BigInt(team.id) } });

describe.skipIf(noPostgres)(needing(noPostgres, 'an application in a team that gets another owner'), () => {
  it('counts towards the limit of the new owner', async () => {
    const { app } = server;
    const heir = await signUp(server, 'heir');
    await addToTeam(owner, team, heir, 'ADMIN');
    const [ownerUserId, teamId] = [BigInt(heir.id), BigInt(team.id)];
    const [oldOwner, newOwner] = [await userOf(app, owner), await userOf(app, heir)].map((user) => callOf(app, user));
    if (!oldOwner || !newOwner) throw new Error('no calls');
    await createBots(app, limits.applicationsPerOwner - 1, { ownerUserId });
    const write: CallContext['write'] = async (work, options) => {
      await transferTeamOwnership(oldOwner, { teamId, userId: ownerUserId });
      return oldOwner.write(work, options);
    };
    const own = meanwhile(app, () => outcome(createApplication(newOwner, { name: 'Own' })));
    const inTeam = () => outcome(createApplication({ ...oldOwner, write }, { name: 'Helper', teamId }));
    const ended = [await between(/^INSERT INTO "public"."User"/, own.begin, inTeam), await own.done()];
    expect(ended).toEqual(['LIMIT_EXCEEDED', 'ok']);
  });
});

describe('an application that is created in a team', () => {
  it('belongs to the team alone from the start', async () => {
    const application = await made(admin);
    expect(application).toMatchObject({ effectiveRole: 'ADMIN', ownerUser: null, ownerTeam: { id: team.id } });
    const row = await server.app.db.reader.application.findUniqueOrThrow({ where: { id: BigInt(application.id) } });
    expect(row).toMatchObject({ ownerUserId: null, ownerTeamId: BigInt(team.id), transferredById: null });
    await removeFromTeam(admin, team, admin);
    const gone = await admin.ask('query ($id: ID!) { application(id: $id) { id } }', { id: application.id });
    expect(codeOf(gone)).toBe('NOT_FOUND');
  });

  it("appears in the team's audit log with its creation", async () => {
    const { id } = await made(owner);
    const { team: shown } = await reader.graphql(
      'query ($id: ID!) { team(id: $id) { auditLog(last: 1) { edges { node { action actor { id } application { id } } } } } }',
      { id: team.id },
    );
    expect(shown.auditLog.edges).toEqual([
      { node: { action: 'APPLICATION_CREATE', actor: { id: owner.id }, application: { id } } },
    ]);
  });

  it('is published to the members of the team at once', async () => {
    const client = socketClient(server, { token: reader.token });
    const [ofTeam, ofHome] = [
      await subscribe(client, 'subscription ($id: ID!) { teamChanged(teamId: $id) { applications { id } } }', {
        id: team.id,
      }),
      await subscribe(client, 'subscription { portalHomeChanged { applications { id } } }'),
    ];
    const { id } = await made(admin);
    expect((await ofTeam.next()).data.teamChanged.applications).toEqual([{ id }]);
    expect((await ofHome.next()).data.portalHomeChanged.applications.at(-1)).toEqual({ id });
    await client.dispose();
  });

  it('can be created by exactly those users who can transfer one to the team', async () => {
    const codes: [string | undefined, string | undefined][] = [];
    for (const person of [owner, admin, developer, reader, outsider]) {
      const own = (await create(person, { teamId: null })).data.createApplication.application;
      const move = { applicationId: own.id, teamId: team.id, appName: 'Helper' };
      codes.push([codeOf(await create(person)), codeOf(await askTransfer(person, move))]);
    }
    expect(codes).toEqual([undefined, undefined, 'FORBIDDEN', 'FORBIDDEN', 'NOT_FOUND'].map((code) => [code, code]));
    expect(await applicationsOf()).toBe(4);
  });

  it.each<[string, object, string]>([
    ['a team that is not there', { teamId: '1' }, 'NOT_FOUND'],
    ['a team that is no id', { teamId: 'mine' }, 'BAD_USER_INPUT'],
    ['a name that is none', { name: ' ' }, 'BAD_USER_INPUT'],
  ])('is not created for %s', async (_what, more, code) => {
    expect(codeOf(await create(owner, more))).toBe(code);
    expect(await applicationsOf()).toBe(0);
  });

  it('is not created by a member who loses the permission during the request', async () => {
    const [answer] = await Promise.all([create(admin), setTeamRole(owner, team, admin, 'READ_ONLY')]);
    expect([undefined, 'FORBIDDEN']).toContain(codeOf(answer));
    expect(await applicationsOf()).toBe(codeOf(answer) === undefined ? 1 : 0);
    expect(codeOf(await create(admin))).toBe('FORBIDDEN');
  });
});
