import { describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
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
import { ask } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';

let server: TestServer;
let ada: Person;
let bob: Person;
let application: MadeApplication;
let guild: MadeGuild;
let startedAt: number;
test.beforeAll(async ({ server: shared }) => {
  startedAt = Date.now();
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
  application = await createApplication(ada, 'Heron');
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, bob);
});

function expectLately(time: string): void {
  expect(Date.parse(time)).toBeGreaterThanOrEqual(startedAt - 1);
  expect(Date.parse(time)).toBeLessThanOrEqual(Date.now());
}

describe('a tester', () => {
  const INVITE = `mutation ($input: InviteTesterInput!) { inviteTester(input: $input) { tester { state createdAt invitedBy { username } } } }`;
  const inviteTester = async (by: Person, userId: string): Promise<Loose> =>
    (await by.graphql(INVITE, { input: { applicationId: application.id, userId } })).inviteTester.tester;

  test('has an invitation time and an inviter, shown to the developers of the application and to the tester', async () => {
    const tester = await inviteTester(ada, bob.id);
    expect(tester).toMatchObject({ state: 'INVITED', invitedBy: { username: 'ada' } });
    expectLately(tester.createdAt);
    const shown = '{ createdAt invitedBy { username } }';
    const facts = { createdAt: tester.createdAt, invitedBy: { username: 'ada' } };
    const { application: own } = await ada.graphql(
      `query ($id: ID!) { application(id: $id) { testers ${shown} } }`,
      application,
    );
    expect(own.testers).toEqual([facts]);
    const { portalHome } = await bob.graphql(`{ portalHome { testerInvitations ${shown} } }`);
    expect(portalHome.testerInvitations).toEqual([facts]);
  });

  test('is their own inviter if they invited themselves', async () => {
    expect(await inviteTester(ada, ada.id)).toMatchObject({ state: 'ACCEPTED', invitedBy: { username: 'ada' } });
  });

  test('has no inviter if none was stored', async () => {
    const key = { applicationId: BigInt(application.id), userId: BigInt(ada.id) };
    await server.app.db.writer.tester.update({ where: { applicationId_userId: key }, data: { inviterId: null } });
    const { application: own } = await ada.graphql(
      `query ($id: ID!) { application(id: $id) { testers { invitedBy { id } } } }`,
      application,
    );
    expect(own.testers).toEqual([{ invitedBy: { id: ada.id } }, { invitedBy: null }]);
  });
});

test('an installation shows its time and its installer to members of the server', async () => {
  const id = await install(ada, application, guild);
  const query = `query ($id: ID!) { guild(id: $id) { installations { id createdAt installedBy { username } } } }`;
  const { guild: shown } = await bob.graphql(query, guild);
  expect(shown.installations).toEqual([{ id, createdAt: expect.any(String), installedBy: { username: 'ada' } }]);
  expectLately(shown.installations[0].createdAt);
});

describe('a webhook', () => {
  const CREATE = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { url webhook { id lastExecutedAt } } }`;
  const create = async (by: Person, input: object): Promise<Loose> =>
    (await by.graphql(CREATE, { input: { name: 'News', ...input } })).createWebhook;
  const lastExecutedAt = async (id: string): Promise<string | null> =>
    (await ada.graphql('query ($id: ID!) { webhook(id: $id) { lastExecutedAt } }', { id })).webhook.lastExecutedAt;

  test('has the time of its last successful post, and ignores refused ones', async () => {
    const { url, webhook } = await create(ada, { applicationId: application.id, channelId: guild.textChannelId });
    expect(webhook.lastExecutedAt).toBeNull();
    expect((await ask(server, 'POST', url, { json: { content: '' } })).status).toBe(400);
    expect((await ask(server, 'POST', `${url}x`, { json: { content: 'hello' } })).status).toBe(401);
    await server.app.executions.settle();
    expect(await lastExecutedAt(webhook.id)).toBeNull();
    expect((await ask(server, 'POST', url, { json: { content: 'hello' } })).status).toBe(200);
    await server.app.executions.settle();
    const first = (await lastExecutedAt(webhook.id)) ?? '';
    expectLately(first);
    await ask(server, 'POST', url, { json: { content: 'again' } });
    await server.app.executions.settle();
    expect(Date.parse((await lastExecutedAt(webhook.id)) ?? '')).toBeGreaterThan(Date.parse(first));
  });

  test('stores the time of its last post when the server stops', async () => {
    const own = await startServer();
    const person = await signUp(own, 'cleo');
    const bot = await createApplication(person);
    const place = await createGuild(person);
    const { url } = await create(person, { applicationId: bot.id, channelId: place.textChannelId });
    await own.app.executions.settle();
    await ask(own, 'POST', url, { json: { content: 'hello' } });
    const written = (await statementsOf(() => own.stop())).filter((sql) => /UPDATE .*Webhook/.test(sql));
    expect(written).toHaveLength(1);
  });
});
