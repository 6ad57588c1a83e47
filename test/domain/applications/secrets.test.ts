import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../harness/clock.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import type { Loose } from '../../harness/graphql.js';
import { basic, inForm, postForm } from '../../harness/oauth.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import { ask } from '../../harness/rest.js';
import { migratedDatabase, migratedFolder, startServer, type TestServer } from '../../harness/server.js';
import { refuseStatements, statementsOf } from '../../harness/statements.js';
import { addToTeam, createTeam, transferApplication } from '../../harness/teams.js';

const SECRETS = `
  clientSecretHint clientSecretCreatedAt clientSecretCreatedBy { id } clientSecretLastUsedAt
  botTokenHint botTokenCreatedAt botTokenCreatedBy { id } botTokenLastUsedAt`;
const RESET = `mutation ($input: ApplicationIdInput!) {
  resetBotToken(input: $input) { botToken } resetClientSecret(input: $input) { clientSecret }
}`;

const clock = new ManualClock();
let server: TestServer;
let ada: Person;
let bot: MadeApplication;
beforeAll(async () => {
  server = await startServer({ clock });
  ada = await signUp(server, 'ada');
});
afterAll(() => server.stop());
beforeEach(async () => {
  bot = await createApplication(ada);
  clock.advance(60_000);
});

async function seenBy(person: Person, { id } = bot): Promise<Loose> {
  return (await person.graphql(`query ($id: ID!) { application(id: $id) { ${SECRETS} } }`, { id })).application;
}

const at = (ms: number) => new Date(ms).toISOString();
const hintOf = (secret: string) => `${secret.slice(0, 6)}…${secret.slice(-4)}`;
const hintOfToken = (token: string) => `${token.split('.')[0]}.…${token.slice(-4)}`;

/** Lets the recorded uses reach the database. */
async function stored(): Promise<void> {
  clock.advance(1_000);
  await server.app.secretUses.store();
}

const useToken = async ({ botToken } = bot) => {
  const headers = { authorization: `Bot ${botToken}` };
  return (await ask(server, 'GET', '/users/@me', { headers })).status;
};

const useSecret = async () =>
  (await postForm(server, { grant_type: 'client_credentials', scope: 'identify', ...inForm(bot) })).status;

describe('the secrets of an application', () => {
  it('show their hints, creation times and creators to a user with a role', async () => {
    const made = await createApplication(ada);
    expect(await seenBy(ada, made)).toEqual({
      clientSecretHint: hintOf(made.clientSecret),
      clientSecretCreatedAt: at(clock.now()),
      clientSecretCreatedBy: { id: ada.id },
      clientSecretLastUsedAt: null,
      botTokenHint: hintOfToken(made.botToken),
      botTokenCreatedAt: at(clock.now()),
      botTokenCreatedBy: { id: ada.id },
      botTokenLastUsedAt: null,
    });
  });

  it('show the values of the new secrets after a reset, without a last use', async () => {
    const bob = await signUp(server, 'bob');
    const team = await createTeam(ada);
    await addToTeam(ada, team, bob, 'ADMIN');
    await transferApplication(ada, bot, team);
    await Promise.all([useToken(), useSecret()]);
    await stored();
    clock.advance(5_000);
    const { resetBotToken, resetClientSecret } = await bob.graphql(RESET, { input: { applicationId: bot.id } });
    expect(await seenBy(ada)).toEqual({
      clientSecretHint: hintOf(resetClientSecret.clientSecret),
      clientSecretCreatedAt: at(clock.now()),
      clientSecretCreatedBy: { id: bob.id },
      clientSecretLastUsedAt: null,
      botTokenHint: hintOfToken(resetBotToken.botToken),
      botTokenCreatedAt: at(clock.now()),
      botTokenCreatedBy: { id: bob.id },
      botTokenLastUsedAt: null,
    });
  });

  it('leave no data after the application is deleted', async () => {
    await useToken();
    await stored();
    const input = { applicationId: bot.id, name: bot.name };
    await ada.graphql('mutation ($input: DeleteApplicationInput!) { deleteApplication(input: $input) { id } }', {
      input,
    });
    const row = await server.app.db.reader.application.findUniqueOrThrow({ where: { id: BigInt(bot.id) } });
    const kept = Object.entries(row).filter(
      ([column, value]) => /botToken|clientSecret/.test(column) && value !== null,
    );
    expect(kept).toEqual([]);
  });

  it('are listed with the same number of statements for one application or many', async () => {
    const eve = await signUp(server, 'eve');
    await seenBy(eve, await createApplication(eve));
    const statements = async () => (await statementsOf(() => eve.graphql(`{ applications { ${SECRETS} } }`))).length;
    const few = await statements();
    await Promise.all(Array.from({ length: 5 }, () => createApplication(eve)));
    expect(await statements()).toBe(few);
  });
});

describe('the last use of a secret', () => {
  const identified = async () => {
    const client = await GatewayClient.open(server.origin);
    const { d } = await client.ready(bot.botToken);
    return { client, sessionId: d.session_id as string };
  };

  it.each<['botToken' | 'clientSecret', string, () => Promise<unknown>]>([
    ['botToken', 'a REST request', useToken],
    ['botToken', 'IDENTIFY', async () => (await identified()).client.close()],
    ['clientSecret', 'a form at the token endpoint', useSecret],
    [
      'clientSecret',
      'HTTP Basic at the token endpoint',
      () => postForm(server, { grant_type: 'client_credentials' }, { headers: basic(bot.id, bot.clientSecret) }),
    ],
    ['clientSecret', 'a revocation', () => postForm(server, { token: 'none', ...inForm(bot) }, { path: '/revoke' })],
  ])('is recorded for the %s on %s', async (secret, _way, use) => {
    await use();
    await stored();
    const seen = await seenBy(ada);
    expect(seen[`${secret}LastUsedAt`]).toBe(at(clock.now()));
    expect([seen.botTokenLastUsedAt, seen.clientSecretLastUsedAt]).toContain(null);
  });

  it('is recorded for the botToken on RESUME', async () => {
    const { client, sessionId } = await identified();
    await client.close(4_000);
    clock.advance(61_000);
    await server.app.secretUses.store();
    const again = await GatewayClient.open(server.origin);
    again.send(6, { token: bot.botToken, session_id: sessionId, seq: client.sequence });
    await again.event('RESUMED');
    await stored();
    expect((await seenBy(ada)).botTokenLastUsedAt).toBe(at(clock.now()));
    await again.close();
  });

  it('is recorded only if the secret is valid', async () => {
    expect(await useToken({ ...bot, botToken: `${bot.botToken}x` })).toBe(401);
    const { status } = await postForm(server, {
      grant_type: 'client_credentials',
      client_id: bot.id,
      client_secret: 'x',
    });
    expect(status).toBe(401);
    await stored();
    expect(await seenBy(ada)).toMatchObject({ botTokenLastUsedAt: null, clientSecretLastUsedAt: null });
  });

  it('is stored once a minute, even for a cached token', async () => {
    const lastUsed = async () => Date.parse((await seenBy(ada)).botTokenLastUsedAt);
    await useToken();
    await stored();
    const first = clock.now();
    for (const seconds of [20, 38]) {
      clock.advance(seconds * 1_000);
      await useToken();
      await stored();
      expect(await lastUsed()).toBe(first);
    }
    clock.advance(1_000);
    await useToken();
    await stored();
    expect(await lastUsed()).toBe(clock.now());
  });

  it('is stored with one statement for many secrets that are used at once', async () => {
    const bots = await Promise.all(Array.from({ length: 5 }, () => createApplication(ada)));
    const refusals = refuseStatements(/SET \S*LastUsedAt/);
    try {
      await Promise.all(bots.map((one) => useToken(one)));
      await stored();
      expect(refusals.refused).toHaveLength(1);
    } finally {
      refusals.end();
    }
  });

  it('refuses no request if it cannot be stored, and the next use is stored', async () => {
    const refusals = refuseStatements(/SET \S*LastUsedAt/);
    try {
      expect([await useToken(), await useSecret()]).toEqual([200, 200]);
      await stored();
      expect(refusals.refused).toHaveLength(2);
    } finally {
      refusals.end();
    }
    expect(await seenBy(ada)).toMatchObject({ botTokenLastUsedAt: null, clientSecretLastUsedAt: null });
    await Promise.all([useToken(), useSecret()]);
    await stored();
    const now = at(clock.now());
    expect(await seenBy(ada)).toMatchObject({ botTokenLastUsedAt: now, clientSecretLastUsedAt: now });
  });

  it('does not count for the secret that replaces it', async () => {
    await Promise.all([useToken(), useSecret()]);
    const { resetBotToken } = await ada.graphql(RESET, { input: { applicationId: bot.id } });
    await stored();
    expect(await seenBy(ada)).toMatchObject({ botTokenLastUsedAt: null, clientSecretLastUsedAt: null });
    await useToken({ ...bot, botToken: resetBotToken.botToken });
    await stored();
    expect(await seenBy(ada)).toMatchObject({ botTokenLastUsedAt: at(clock.now()), clientSecretLastUsedAt: null });
  });

  it('is stored before the process stops', async () => {
    const [database, dataDir] = [await migratedDatabase(), await migratedFolder()];
    const env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
    const first = await startServer({ env });
    const cleo = await signUp(first, 'cleo');
    const { id, botToken } = await createApplication(cleo);
    await ask(first, 'GET', '/users/@me', { headers: { authorization: `Bot ${botToken}` } });
    await first.stop();
    const second = await startServer({ env });
    const { botTokenLastUsedAt } = await second.app.db.reader.application.findUniqueOrThrow({
      where: { id: BigInt(id) },
    });
    expect(botTokenLastUsedAt).not.toBeNull();
    await second.stop();
    await database?.drop();
  });
});

it('a secret that predates this metadata shows null for it', async () => {
  const columns = [
    'botTokenLast4',
    'botTokenCreatedAt',
    'botTokenCreatedById',
    'clientSecretCreatedAt',
    'clientSecretCreatedById',
  ];
  await server.app.db.writer.application.update({
    where: { id: BigInt(bot.id) },
    data: Object.fromEntries(columns.map((column) => [column, null])),
  });
  expect(await seenBy(ada)).toEqual({
    clientSecretHint: hintOf(bot.clientSecret),
    clientSecretCreatedAt: null,
    clientSecretCreatedBy: null,
    clientSecretLastUsedAt: null,
    botTokenHint: null,
    botTokenCreatedAt: null,
    botTokenCreatedBy: null,
    botTokenLastUsedAt: null,
  });
});
