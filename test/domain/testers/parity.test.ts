import { beforeEach, describe, expect } from 'vitest';
import { startEndpoint } from '../../harness/endpoint.js';
import { it } from '../../harness/fixtures.js';
import { codeOf, type Loose } from '../../harness/graphql.js';
import { askWithToken, grantCode, inForm, postForm, REDIRECT_URI } from '../../harness/oauth.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import { ask } from '../../harness/rest.js';
import type { TestServer } from '../../harness/server.js';
import { update } from '../../harness/settings.js';
import { addToTeam, createTeam, pendingOf, transferApplication } from '../../harness/teams.js';

let server: TestServer;
let owner: Person;
let admin: Person;
let developer: Person;
let tester: Person;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, admin, developer, tester] = await Promise.all([
    signUp(server, 'owner'),
    signUp(server, 'admin'),
    signUp(server, 'developer'),
    signUp(server, 'tester'),
  ]);
});
beforeEach(async () => {
  const team = await createTeam(owner);
  await addToTeam(owner, team, admin, 'ADMIN');
  await addToTeam(owner, team, developer);
  application = await createApplication(owner);
  await update(owner, application.id, { redirectUris: [REDIRECT_URI] });
  await transferApplication(owner, application, team);
});

const invite = (person: Person, invitee: { userId: string } | { email: string }) =>
  person.ask(`mutation ($input: InviteTesterInput!) { inviteTester(input: $input) { tester { state } } }`, {
    input: { applicationId: application.id, ...invitee },
  });
const accept = (person: Person) =>
  person.ask(`mutation ($input: ApplicationIdInput!) { acceptTesterInvitation(input: $input) { tester { state } } }`, {
    input: { applicationId: application.id },
  });
const remove = (person: Person, { id }: Person) =>
  person.ask(`mutation ($input: ApplicationUserInput!) { removeTester(input: $input) { id } }`, {
    input: { applicationId: application.id, userId: id },
  });

async function listed(): Promise<Record<string, string>> {
  const query = `query ($id: ID!) { application(id: $id) { testers { state user { id } } } }`;
  const { application: found } = await developer.graphql(query, { id: application.id });
  return Object.fromEntries(found.testers.map(({ user, state }: Loose) => [user.id, state]));
}

describe('the states of a tester invitation', () => {
  it.each([
    ['user id', 'the owner', () => invite(owner, { userId: tester.id })],
    ['e-mail', 'the owner', () => invite(owner, { email: tester.email })],
    ['user id', 'an admin', () => invite(admin, { userId: tester.id })],
    ['e-mail', 'an admin', () => invite(admin, { email: tester.email })],
  ])("(none): invite by %s, by the app's manager (%s) → invited, seen in portal home", async (_by, _who, act) => {
    expect((await act()).data.inviteTester.tester.state).toBe('INVITED');
    expect(await listed()).toEqual({ [tester.id]: 'INVITED' });
    expect((await pendingOf(tester)).testers).toContain(application.id);
    await accept(tester);
    expect(await listed()).toEqual({ [tester.id]: 'ACCEPTED' });
    expect((await pendingOf(tester)).testers).not.toContain(application.id);
  });

  it.each([
    ['the owner', () => owner],
    ['an admin', () => admin],
  ])('(none): invite where the invitee is the inviter (%s) → accepted automatically', async (_who, person) => {
    expect((await invite(person(), { userId: person().id })).data.inviteTester.tester.state).toBe('ACCEPTED');
    expect((await pendingOf(person())).testers).not.toContain(application.id);
  });

  it('(none): a developer is not a manager, and can be invited by one', async () => {
    expect(codeOf(await invite(developer, { userId: developer.id }))).toBe('FORBIDDEN');
    await invite(admin, { userId: developer.id });
    expect((await accept(developer)).data.acceptTesterInvitation.tester.state).toBe('ACCEPTED');
  });

  it('tester listed: remove tester → removed, and existing OAuth tokens stay valid', async () => {
    await update(owner, application.id, { public: false });
    await invite(owner, { userId: tester.id });
    await accept(tester);
    const code = await grantCode(server, tester, application);
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...inForm(application) };
    const { body: tokens } = await postForm(server, form);
    expect((await remove(admin, tester)).errors).toEqual([]);
    expect(await listed()).toEqual({});
    expect((await askWithToken(server, '/users/@me', tokens.access_token)).body.id).toBe(tester.id);
  });
});

describe('a tester', () => {
  it('cannot see the portal pages of the application', async () => {
    await invite(owner, { userId: tester.id });
    await accept(tester);
    const page = `query ($id: ID!) { application(id: $id) { name } }`;
    expect(codeOf(await tester.ask(page, { id: application.id }))).toBe('NOT_FOUND');
    expect((await tester.graphql('{ applications { id } }')).applications).toEqual([]);
    const headers = { authorization: `Bearer ${tester.token}` };
    const path = `/developer-portal/applications/${application.id}/testers`;
    expect((await ask(server, 'GET', path, { headers })).status).toBe(404);
  });

  it('sees what an install needs, and no other settings of the application', async () => {
    const customInstallUrl = 'https://example.com/install';
    const endpoint = await startEndpoint({ publicKey: application.publicKey });
    const interactionsEndpointUrl = endpoint.url;
    await update(owner, application.id, { customInstallUrl, interactionsEndpointUrl });
    await endpoint.close();
    const used = new Date(server.app.clock.now());
    await server.app.db.writer.application.update({
      where: { id: BigInt(application.id) },
      data: { botTokenLastUsedAt: used, clientSecretLastUsedAt: used },
    });
    await invite(owner, { userId: tester.id });
    const shown = `name installUrl defaultInstallSettings { context } customInstallUrl interactionsEndpointUrl redirectUris
      clientSecretHint clientSecretCreatedAt clientSecretCreatedBy { id } clientSecretLastUsedAt
      botTokenHint botTokenCreatedAt botTokenCreatedBy { id } botTokenLastUsedAt ownerUser { id } ownerTeam { id } testers { state } auditLog { edges { cursor } }`;
    const { portalHome } = await tester.graphql(`{ portalHome { testerInvitations { application { id ${shown} } } } }`);
    const met = portalHome.testerInvitations.map((pending: Loose) => pending.application);
    expect(met.find(({ id }: Loose) => id === application.id)).toEqual({
      id: application.id,
      name: application.name,
      installUrl: expect.stringContaining(application.id),
      defaultInstallSettings: [{ context: 'SERVER' }],
      customInstallUrl: null,
      interactionsEndpointUrl: null,
      redirectUris: [],
      clientSecretHint: null,
      clientSecretCreatedAt: null,
      clientSecretCreatedBy: null,
      clientSecretLastUsedAt: null,
      botTokenHint: null,
      botTokenCreatedAt: null,
      botTokenCreatedBy: null,
      botTokenLastUsedAt: null,
      ownerUser: null,
      ownerTeam: null,
      testers: [],
      auditLog: { edges: [] },
    });
    const own = await developer.graphql(`query ($id: ID!) { application(id: $id) { ${shown} } }`, {
      id: application.id,
    });
    expect(own.application).toMatchObject({ customInstallUrl, interactionsEndpointUrl, redirectUris: [REDIRECT_URI] });
    expect(own.application.testers).toHaveLength(1);
  });

  it('needs a verified e-mail address to accept', async () => {
    const where = { userId: BigInt(tester.id) };
    await invite(owner, { userId: tester.id });
    await server.app.db.writer.authUser.update({ where, data: { emailVerified: false } });
    expect(codeOf(await accept(tester))).toBe('FORBIDDEN');
    await server.app.db.writer.authUser.update({ where, data: { emailVerified: true } });
    expect((await accept(tester)).errors).toEqual([]);
  });
});
