import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INVITATIONS_TO_A_PERSON } from '../../src/domain/limits.js';
import { type Person, signUp } from '../harness/people.js';
import { createBot } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';
import { addToTeam, askAnswer, askInvite, codeOf, createTeam, putTeam } from '../harness/teams.js';

let server: TestServer;
let owner: Person;
let invitee: Person;
beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  owner = await signUp(server, 'owner');
  invitee = await signUp(server, 'invitee');
});
afterAll(() => server.stop());

describe('invitations of one person to another', () => {
  it('are limited over all teams; others can still be invited', async () => {
    const team = await createTeam(owner);
    for (let round = 1; round < INVITATIONS_TO_A_PERSON.points; round += 1) {
      await server.app.limits.take(INVITATIONS_TO_A_PERSON, `${owner.id}:${invitee.id}`);
    }
    const { data, errors } = await askInvite(owner, team, { email: invitee.email });
    expect(errors).toEqual([]);
    await askAnswer(owner, 'revoke', data.inviteTeamMember.invitation.id);
    expect(codeOf(await askInvite(owner, team, { email: invitee.email }))).toBe('RATE_LIMITED');
    expect(codeOf(await askInvite(owner, await createTeam(owner), { email: invitee.email }))).toBe('RATE_LIMITED');
    const other = await signUp(server, 'other');
    await addToTeam(owner, team, other);
  });
});

describe('invitations that are refused', () => {
  it('do not count', async () => {
    const person = await signUp(server, 'refused');
    const team = await createTeam(owner);
    const key = `${owner.id}:${person.id}`;
    const remaining = async () => (await server.app.limits.peek(INVITATIONS_TO_A_PERSON, key)).remaining;
    await Promise.all(Array.from({ length: 10 }, () => askInvite(owner, team, { email: person.email })));
    for (let round = 0; round < 5; round += 1) {
      expect(codeOf(await askInvite(owner, team, { email: person.email }))).toBe('CONFLICT');
    }
    expect(await remaining()).toBe(INVITATIONS_TO_A_PERSON.points - 1);
  });
});

describe('the cost of a query', () => {
  it('leaves room for everything there is to know of one’s teams and invitations', async () => {
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
  it('takes as many statements for one as for many', async () => {
    const person = await signUp(server, 'person');
    const putOne = async () => {
      const ownerTeamId = await putTeam(server, person, [[owner, 'DEVELOPER']]);
      await createBot(server.app, { ownerTeamId });
    };
    const list = () =>
      person.graphql(`{ teams {
        owner { id } members { role user { username } } invitations { state invitee { id } }
        applications { effectiveRole ownerTeam { name } clientSecretHint testers { state } }
      } }`);
    await putOne();
    await list();
    const forOne = (await statementsOf(list)).length;
    for (let index = 0; index < 5; index += 1) await putOne();
    expect((await statementsOf(list)).length).toBe(forOne);
    expect((await list()).teams).toHaveLength(6);
  });
});
