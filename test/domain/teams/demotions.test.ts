import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../harness/graphql.js';
import { between, noPostgres } from '../../harness/interleave.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { needing } from '../../harness/skipping.js';
import { addToTeam, createTeam, type MadeTeam, setTeamRole, transferApplication } from '../../harness/teams.js';

/** Statements can be held back on PostgreSQL only. On SQLite, one transaction waits for the other. */
describe.skipIf(noPostgres)(needing(noPostgres, 'a member whose role is lowered before their transaction'), () => {
  let server: TestServer;
  let ada: Person;
  let bob: Person;
  let team: MadeTeam;
  let application: MadeApplication;
  beforeAll(async () => {
    server = await startServer();
    [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    team = await createTeam(ada);
    await addToTeam(ada, team, bob, 'ADMIN');
    application = await createApplication(ada);
    await transferApplication(ada, application, team);
    await ada.graphql('mutation ($i: InviteTesterInput!) { inviteTester(input: $i) { tester { state } } }', {
      i: { applicationId: application.id, userId: ada.id },
    });
  });

  it.each<[string, string, string, () => object]>([
    ['removeTester', 'ApplicationUserInput', 'id', () => ({ userId: ada.id })],
    ['inviteTester', 'InviteTesterInput', 'tester { state }', () => ({ userId: bob.id })],
    ['resetClientSecret', 'ApplicationIdInput', 'clientSecret', () => ({})],
    ['resetBotToken', 'ApplicationIdInput', 'botToken', () => ({})],
    ['updateApplication', 'UpdateApplicationInput', 'application { id }', () => ({ description: 'mine' })],
  ])('is refused %s', async (mutation, type, shown, input) => {
    const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { ${shown} } }`;
    const demote = () => setTeamRole(ada, team, bob, 'READ_ONLY');
    const act = () => bob.ask(query, { input: { applicationId: application.id, ...input() } });
    expect(codeOf(await between(/^BEGIN/, demote, act))).toBe('FORBIDDEN');
  });
});
