import { beforeEach, describe, expect } from 'vitest';
import { it } from '../../harness/fixtures.js';
import { codeOf, type Loose } from '../../harness/graphql.js';
import {
  createApplication,
  createGuild,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../../harness/people.js';
import { createPerson } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { faultsOf, update } from '../../harness/settings.js';

let server: TestServer;
let owner: Person;
let grace: Person;
let stranger: Person;
let guild: MadeGuild;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
  grace = await signUp(server, 'grace');
  stranger = await signUp(server, 'stranger');
  guild = await createGuild(grace);
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
});

const INVITE = `mutation ($input: InviteTesterInput!) {
  inviteTester(input: $input) { tester { state user { id } application { id } } }
}`;
const ACCEPT = `mutation ($input: ApplicationIdInput!) { acceptTesterInvitation(input: $input) { tester { state user { id } } } }`;
const DECLINE = `mutation ($input: ApplicationIdInput!) { declineTesterInvitation(input: $input) { id } }`;
const REMOVE = `mutation ($input: ApplicationUserInput!) { removeTester(input: $input) { id } }`;
const TESTERS = `query ($id: ID!) { application(id: $id) { testers { state user { id } } } }`;

const ask = (person: Person, query: string, input: object = {}) =>
  person.ask(query, { input: { applicationId: application.id, ...input } });
const invite = (person: Person) => ask(owner, INVITE, { userId: person.id });

async function testers(): Promise<[string, string][]> {
  const { application: found } = await owner.graphql(TESTERS, { id: application.id });
  return found.testers.map(({ state, user }: Loose) => [user.id, state]);
}

function installTo(person: Person) {
  const input = { applicationId: application.id, guildId: guild.id, scopes: ['bot'], permissions: '0' };
  return person.ask(
    `mutation ($input: InstallApplicationInput!) { installApplication(input: $input) { installation { id } } }`,
    {
      input,
    },
  );
}

async function auditedActions(): Promise<string[]> {
  const entries = await server.app.db.reader.auditEntry.findMany({
    where: { applicationId: BigInt(application.id), action: { startsWith: 'TESTER_' } },
    orderBy: { id: 'asc' },
  });
  return entries.map((entry) => `${entry.action} ${entry.targetId} by ${entry.actorId}`);
}

describe('a tester', () => {
  it('can be invited by user id, and accept', async () => {
    const { data } = await invite(grace);
    expect(data.inviteTester.tester).toEqual({
      state: 'INVITED',
      user: { id: grace.id },
      application: { id: application.id },
    });
    expect((await ask(grace, ACCEPT)).data.acceptTesterInvitation.tester).toEqual({
      state: 'ACCEPTED',
      user: { id: grace.id },
    });
    expect(await testers()).toEqual([[grace.id, 'ACCEPTED']]);
    expect(await auditedActions()).toEqual([
      `TESTER_INVITE ${grace.id} by ${owner.id}`,
      `TESTER_ACCEPT ${grace.id} by ${grace.id}`,
    ]);
  });

  it('can be invited by e-mail address in any spelling', async () => {
    const { data } = await ask(owner, INVITE, { email: ` ${grace.email.toUpperCase()} ` });
    expect(data.inviteTester.tester).toMatchObject({ state: 'INVITED', user: { id: grace.id } });
  });

  it('who invites themselves is accepted automatically', async () => {
    expect((await invite(owner)).data.inviteTester.tester.state).toBe('ACCEPTED');
  });

  it('can decline, which deletes the invitation', async () => {
    await invite(grace);
    expect((await ask(grace, DECLINE)).data.declineTesterInvitation.id).toBe(application.id);
    expect(await testers()).toEqual([]);
    expect((await auditedActions()).at(-1)).toBe(`TESTER_DECLINE ${grace.id} by ${grace.id}`);
    expect(codeOf(await ask(grace, ACCEPT))).toBe('NOT_FOUND');
  });

  it('can be removed whether invited or accepted, and then be invited again', async () => {
    await invite(grace);
    await invite(stranger);
    await ask(grace, ACCEPT);
    for (const person of [grace, stranger]) {
      expect((await ask(owner, REMOVE, { userId: person.id })).data.removeTester.id).toBe(person.id);
    }
    expect(await testers()).toEqual([]);
    expect(codeOf(await ask(owner, REMOVE, { userId: grace.id }))).toBe('NOT_FOUND');
    expect((await invite(grace)).data.inviteTester.tester.state).toBe('INVITED');
  });

  it.each([
    ['nobody', {}],
    ['one user in two ways', { userId: '1', email: 'a@b.example' }],
    ['an id that is none', { userId: 'x' }],
  ])('cannot be created from %s', async (_who, input) => {
    const answer = await ask(owner, INVITE, input);
    expect(codeOf(answer)).toBe('BAD_USER_INPUT');
    expect(Object.keys(faultsOf(answer))).toEqual(['userId']);
  });

  it.each([
    ['an unknown user', () => ({ userId: '1' })],
    ['a bot', () => ({ userId: application.id })],
  ])('cannot be created from %s', async (_who, input) => {
    expect(codeOf(await ask(owner, INVITE, input()))).toBe('NOT_FOUND');
  });

  it.each(['nobody@people.example', 'nobody', ''])('cannot be created from the address "%s"', async (email) => {
    const answer = await ask(owner, INVITE, { email });
    expect([codeOf(answer), faultsOf(answer)]).toEqual(['BAD_USER_INPUT', { email: ['EMAIL_UNKNOWN'] }]);
  });

  it('can be invited, removed and listed by a manager only', async () => {
    await invite(grace);
    await ask(grace, ACCEPT);
    expect(codeOf(await ask(grace, INVITE, { userId: stranger.id }))).toBe('NOT_FOUND');
    expect(codeOf(await ask(grace, REMOVE, { userId: grace.id }))).toBe('NOT_FOUND');
    expect(codeOf(await grace.ask(TESTERS, { id: application.id }))).toBe('NOT_FOUND');
  });

  it('cannot accept or decline without an invitation, or twice', async () => {
    expect(codeOf(await ask(grace, ACCEPT))).toBe('NOT_FOUND');
    expect(codeOf(await ask(grace, DECLINE))).toBe('NOT_FOUND');
    await invite(grace);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(grace, ACCEPT)));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    for (const answer of answers) if (answer.errors[0]) expect(codeOf(answer)).toBe('CONFLICT');
    expect(codeOf(await ask(grace, DECLINE))).toBe('CONFLICT');
    await ask(owner, REMOVE, { userId: grace.id });
    expect(codeOf(await ask(grace, ACCEPT))).toBe('NOT_FOUND');
  });

  it('is listed once for ten invitations at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite(grace)));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    for (const answer of answers) if (answer.errors[0]) expect(codeOf(answer)).toBe('CONFLICT');
    expect(await testers()).toEqual([[grace.id, 'INVITED']]);
  });
});

describe('the testers of an application', () => {
  it('are limited to 100, even if ten are invited at the same time', async () => {
    const { app } = server;
    const applicationId = BigInt(application.id);
    const people = await Promise.all(Array.from({ length: 105 }, (_, index) => createPerson(app, `tester${index}`)));
    await app.db.writer.tester.createMany({
      data: people.slice(0, 95).map(({ id }) => ({ applicationId, userId: id, createdAt: new Date() })),
    });
    const answers = await Promise.all(people.slice(95).map(({ id }) => ask(owner, INVITE, { userId: String(id) })));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(5);
    for (const answer of answers) if (answer.errors[0]) expect(codeOf(answer)).toBe('LIMIT_EXCEEDED');
    expect(await app.db.reader.tester.count({ where: { applicationId } })).toBe(100);
  });
});

describe('a private application', () => {
  beforeEach(() => update(owner, application.id, { public: false }));

  it('can be installed by accepted testers only, and is unknown to other users', async () => {
    expect(codeOf(await installTo(grace))).toBe('NOT_FOUND');
    await invite(grace);
    expect(codeOf(await installTo(grace))).toBe('NOT_FOUND');
    await ask(grace, ACCEPT);
    expect((await installTo(grace)).errors).toEqual([]);
    await ask(owner, REMOVE, { userId: grace.id });
    expect(codeOf(await installTo(grace))).toBe('NOT_FOUND');
  });

  it('is unknown to its owner too, unless the owner is a tester', async () => {
    guild = await createGuild(owner);
    expect(codeOf(await installTo(owner))).toBe('NOT_FOUND');
    await invite(owner);
    expect((await installTo(owner)).errors).toEqual([]);
    guild = await createGuild(grace);
  });
});
