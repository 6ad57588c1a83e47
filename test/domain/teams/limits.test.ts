import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INVITATIONS_PER_PERSON, UNKNOWN_EMAILS_PER_PERSON } from '../../../src/domain/limits.js';
import { codeOf } from '../../harness/graphql.js';
import { createApplication, type Person, signUp } from '../../harness/people.js';
import { ask } from '../../harness/rest.js';
import { createBots } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { statementsOf } from '../../harness/statements.js';
import { addToTeam, askAnswer, askInvite, createTeam, putTeam } from '../../harness/teams.js';

let server: TestServer;
let owner: Person;
let invitee: Person;
beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  owner = await signUp(server, 'owner');
  invitee = await signUp(server, 'invitee');
});
afterAll(() => server.stop());

describe('invitations of one user by another', () => {
  it('are limited across all teams, and other users can still be invited', async () => {
    const team = await createTeam(owner);
    const key = `${owner.id}:${invitee.id}`;
    await server.app.limits.take(INVITATIONS_PER_PERSON, key, INVITATIONS_PER_PERSON.points - 1);
    const { data, errors } = await askInvite(owner, team, { email: invitee.email });
    expect(errors).toEqual([]);
    await askAnswer(owner, 'revoke', data.inviteTeamMember.invitation.id);
    expect(codeOf(await askInvite(owner, team, { email: invitee.email }))).toBe('RATE_LIMITED');
    expect(codeOf(await askInvite(owner, await createTeam(owner), { email: invitee.email }))).toBe('RATE_LIMITED');
    const other = await signUp(server, 'other');
    await addToTeam(owner, team, other);
  });
});

describe('refused invitations', () => {
  it('do not count towards the limit', async () => {
    const person = await signUp(server, 'refused');
    const team = await createTeam(owner);
    const key = `${owner.id}:${person.id}`;
    const remaining = async () => (await server.app.limits.peek(INVITATIONS_PER_PERSON, key)).remaining;
    await Promise.all(Array.from({ length: 10 }, () => askInvite(owner, team, { email: person.email })));
    for (let round = 0; round < 5; round += 1) {
      expect(codeOf(await askInvite(owner, team, { email: person.email }))).toBe('CONFLICT');
    }
    expect(await remaining()).toBe(INVITATIONS_PER_PERSON.points - 1);
  });
});

describe('invitations to addresses without an account', () => {
  it('are limited per user across teams, testers and APIs, and beyond that reveal no accounts', async () => {
    const harvester = await signUp(server, 'harvester');
    const known = await signUp(server, 'known');
    const neighbour = await signUp(server, 'neighbour');
    const team = await createTeam(harvester);
    const application = await createApplication(harvester);
    const inviteTester = (email: string) =>
      harvester.ask(
        'mutation ($input: InviteTesterInput!) { inviteTester(input: $input) { tester { user { id } } } }',
        { input: { applicationId: application.id, email } },
      );
    const email = 'nobody@people.example';
    expect(codeOf(await askInvite(harvester, team, { email: known.email }))).toBeUndefined();
    await server.app.limits.take(UNKNOWN_EMAILS_PER_PERSON, harvester.id, UNKNOWN_EMAILS_PER_PERSON.points - 2);
    expect(codeOf(await inviteTester(email))).toBe('BAD_USER_INPUT');
    expect(codeOf(await askInvite(harvester, team, { email }))).toBe('BAD_USER_INPUT');

    for (const answer of [
      await askInvite(harvester, team, { email }),
      await askInvite(harvester, team, { email: neighbour.email }),
      await inviteTester(neighbour.email),
    ]) {
      expect(codeOf(answer)).toBe('RATE_LIMITED');
      expect(answer.errors[0]?.extensions.retryAfter).toBeGreaterThan(590);
    }
    const overRest = await ask(server, 'POST', `/developer-portal/teams/${team.id}/members`, {
      json: { email: neighbour.email, role: 'developer' },
      headers: { authorization: `Bearer ${harvester.token}` },
    });
    expect(overRest).toMatchObject({ status: 429, body: { code: 40062 } });
    expect(codeOf(await askInvite(neighbour, await createTeam(neighbour), { email }))).toBe('BAD_USER_INPUT');
  });
});

describe('the cost of a query', () => {
  it('allows a query for everything about the own teams and invitations', async () => {
    const user = '{ id username globalName avatarUrl bot email }';
    const application = `{ id name bot ${user} ownerUser ${user} ownerTeam { id name } defaultInstallSettings { context scopes }
      testers { application { id name } user ${user} state } }`;
    const team = `{ id name iconUrl owner ${user} members { user ${user} role } applications ${application}
      invitations { id team { id } invitee ${user} inviter ${user} role state createdAt }
      auditLog(first: 100) { edges { cursor node { id actor ${user} application { id name } action target changes } }
        pageInfo { endCursor } } }`;
    await owner.graphql(`{ teams ${team} }`);
    await owner.graphql(
      `{ portalHome { teamInvitations { id team ${team} } testerInvitations { user ${user} application ${application} } } }`,
    );
  });
});

describe('the list of teams', () => {
  it('takes the same number of statements for one team and for many', async () => {
    const person = await signUp(server, 'person');
    const putOne = async () => {
      const ownerTeamId = await putTeam(server, person, [[owner, 'DEVELOPER']]);
      await createBots(server.app, 1, { ownerTeamId });
    };
    const list = () =>
      person.graphql(`{ teams {
        viewerOperations owner { id } members { role user { username } } invitations { state invitee { id } }
        applications { effectiveRole viewerOperations ownerTeam { name } clientSecretHint testers { state } }
      } }`);
    await putOne();
    await list();
    const forOne = (await statementsOf(list)).length;
    for (let index = 0; index < 5; index += 1) await putOne();
    expect((await statementsOf(list)).length).toBe(forOne);
    expect((await list()).teams).toHaveLength(6);
  });
});
