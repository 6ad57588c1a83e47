import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../harness/graphql.js';
import { between, noPostgres } from '../../harness/interleave.js';
import { readableLog } from '../../harness/log.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import { ask } from '../../harness/rest.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { needing } from '../../harness/skipping.js';
import { askAnswer, askInvite, createTeam, inviteToTeam, type MadeTeam } from '../../harness/teams.js';

let server: TestServer;
let ada: Person;
let bob: Person;
const { log, lines: faults } = readableLog();
beforeAll(async () => {
  server = await startServer({ log });
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
});
afterAll(() => server.stop());

let team: MadeTeam;
let bot: MadeApplication;
beforeEach(async () => {
  faults.length = 0;
  team = await createTeam(ada, 'Otters');
  bot = await createApplication(ada, 'Otter bot');
});
afterEach(() => expect(faults).toEqual([]));

const deleteTeam = () =>
  ada.graphql('mutation ($i: TeamIdInput!) { deleteTeam(input: $i) { id } }', { i: { teamId: team.id } });

/** Runs `concurrently` after `work` commits and before its response, when its mail is sent. */
async function beforeTheAnswer<T>(concurrently: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const { mailer } = server.app;
  const { send } = mailer;
  mailer.send = async (mail) => {
    mailer.send = send;
    await concurrently();
    return send.call(mailer, mail);
  };
  return work();
}

describe('an invitation that is gone before its response', () => {
  const tester = { application: { id: '', name: 'Otter bot' }, user: { username: 'bob' }, state: 'INVITED' };
  const invite = () =>
    ada.graphql(
      `mutation ($i: InviteTesterInput!) {
        inviteTester(input: $i) { tester { state user { username } application { id name } } }
      }`,
      { i: { applicationId: bot.id, userId: bob.id } },
    );

  it('is returned as it was created if the tester is removed', async () => {
    const i = { applicationId: bot.id, userId: bob.id };
    const remove = () => ada.graphql('mutation ($i: ApplicationUserInput!) { removeTester(input: $i) { id } }', { i });
    const { inviteTester } = await beforeTheAnswer(remove, invite);
    expect(inviteTester.tester).toEqual({ ...tester, application: { id: bot.id, name: bot.name } });
  });

  it('is returned as it was created if the application is deleted', async () => {
    const i = { applicationId: bot.id, name: bot.name };
    const remove = () =>
      ada.graphql('mutation ($i: DeleteApplicationInput!) { deleteApplication(input: $i) { id } }', { i });
    const { inviteTester } = await beforeTheAnswer(remove, invite);
    expect(inviteTester.tester).toEqual({ ...tester, application: { id: bot.id, name: bot.name } });
  });

  it('is returned over REST as it was created if it was declined', async () => {
    const decline = async () => {
      const { portalHome } = await bob.graphql('{ portalHome { teamInvitations { id team { id } } } }');
      const [{ id }] = portalHome.teamInvitations.filter((pending: MadeInvitation) => pending.team.id === team.id);
      await askAnswer(bob, 'decline', id);
    };
    const { status, body } = await beforeTheAnswer(decline, () =>
      ask(server, 'POST', `/developer-portal/teams/${team.id}/members`, {
        json: { email: bob.email, role: 'developer' },
        headers: { authorization: `Bearer ${ada.token}` },
      }),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ user: { id: bob.id }, membership_state: 1, role: 'developer', team_id: team.id });
  });

  it('is not found if its team is deleted', async () => {
    const answer = await beforeTheAnswer(deleteTeam, () => askInvite(ada, team, { email: bob.email }));
    expect(codeOf(answer)).toBe('NOT_FOUND');
  });
});

interface MadeInvitation {
  id: string;
  team: { id: string };
}

/** On PostgreSQL, the statements of one request can see different states. */
describe.skipIf(noPostgres)(needing(noPostgres, 'a team that is deleted while it is read'), () => {
  const LIST = '{ teams { id name owner { id } members { role user { id } } invitations { id team { id } } } }';

  it.each([
    /^SELECT "public"."TeamMember"/,
    /^SELECT "public"."TeamInvitation"/,
    /^SELECT "public"."User".* WHERE "public"."User"."id" (=|IN)/,
  ])('does not change the list of other teams, before %s', async (statement) => {
    const other = await createTeam(ada, 'Badgers');
    await inviteToTeam(ada, team, bob);
    const { teams } = await between(statement, deleteTeam, () => ada.graphql(LIST));
    const found = teams.find(({ id }: MadeTeam) => id === other.id);
    expect(found).toMatchObject({ name: 'Badgers', members: [{ role: 'OWNER', user: { id: ada.id } }] });
  });

  it('does not change the other invitations of the invitee', async () => {
    const other = await createTeam(ada, 'Badgers');
    await inviteToTeam(ada, team, bob);
    const invitation = await inviteToTeam(ada, other, bob);
    const { portalHome } = await between(/^SELECT "public"."Team"/, deleteTeam, () =>
      bob.graphql('{ portalHome { teamInvitations { id team { id } } } }'),
    );
    expect(portalHome.teamInvitations).toContainEqual({ id: invitation, team: { id: other.id } });
  });

  it.each([/^SELECT "public"."Team"\./, /^SELECT "public"."TeamMember"/])(
    'is not found, before %s',
    async (statement) => {
      const read = () => ada.ask('query ($id: ID!) { team(id: $id) { name members { role } } }', { id: team.id });
      expect(codeOf(await between(statement, deleteTeam, read))).toBe('NOT_FOUND');
    },
  );

  it('is not found over REST', async () => {
    const read = () =>
      ask(server, 'GET', `/developer-portal/teams/${team.id}`, { headers: { authorization: `Bearer ${ada.token}` } });
    expect((await between(/^SELECT "public"."TeamMember"/, deleteTeam, read)).status).toBe(404);
  });

  it('is not found by the user who just created it', async () => {
    const deleteNewest = async () => {
      const { teams } = await ada.graphql('{ teams { id } }');
      team = teams.at(-1);
      await deleteTeam();
    };
    const make = () =>
      ada.ask('mutation ($i: CreateTeamInput!) { createTeam(input: $i) { team { owner { id } } } }', {
        i: { name: 'Badgers' },
      });
    // The first match reads the inserted row within the transaction.
    const { errors } = await between(/^SELECT "public"."Team"\..* LIMIT/, deleteNewest, make, 1);
    expect(errors).toMatchObject([{ message: 'This no longer exists.', extensions: { code: 'NOT_FOUND' } }]);
  });
});
