import { type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { describe, expect } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { it } from '../harness/fixtures.js';
import { askGraphql, codeOf } from '../harness/graphql.js';
import { outboxOf } from '../harness/mails.js';
import { instanceLog, makeOperator, OPERATOR_MUTATIONS } from '../harness/operators.js';
import { createApplication, createGuild, type MadeApplication, type Person, signUp } from '../harness/people.js';
import { ask } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { socketClient, subscribe } from '../harness/sockets.js';
import { until } from '../harness/until.js';

const CREATE = `mutation ($input: CreatePersonalTokenInput!) { createPersonalToken(input: $input) {
  token personalToken { id name tokenHint createdAt expiresAt lastUsedAt } } }`;
const REVOKE = 'mutation ($input: PersonalTokenIdInput!) { revokePersonalToken(input: $input) { id } }';
const LIST = '{ personalTokens { id name tokenHint lastUsedAt } }';
const RENAME = `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { name } } }`;
const CHANGED = 'subscription ($id: ID!) { applicationChanged(applicationId: $id, initial: true) { name } }';

let server: TestServer;
let ada: Person;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  application = await createApplication(ada, 'Helper');
});

async function createToken(input: object = {}): Promise<{ token: string; id: string }> {
  const { createPersonalToken } = await ada.graphql(CREATE, { input: { name: 'CI', ...input } });
  return { token: createPersonalToken.token, id: createPersonalToken.personalToken.id };
}

interface AccessOptions {
  skipTypeScopes?: boolean;
  authScopes?: { session?: boolean; operator?: boolean };
}

const optionsOf = ({ extensions }: GraphQLField<unknown, unknown> | GraphQLObjectType) =>
  (extensions.pothosOptions ?? {}) as AccessOptions;

/** By type, the fields that a query with a personal token reaches. */
function openFields(): Record<string, string[]> {
  const reached: Record<string, string[]> = {};
  const reach = (type: GraphQLObjectType) => {
    if (reached[type.name]) return;
    const needsSession = optionsOf(type).authScopes?.session === true;
    const open = Object.values(type.getFields()).filter((field) => {
      const { skipTypeScopes, authScopes } = optionsOf(field);
      return authScopes?.session !== true && (!needsSession || skipTypeScopes === true);
    });
    reached[type.name] = open.map(({ name }) => name);
    for (const shown of open.map((field) => getNamedType(field.type))) if (isObjectType(shown)) reach(shown);
  };
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    if (root) reach(root);
  }
  return reached;
}

const askWith = (token: string, query: string, variables: object = {}) =>
  askGraphql(server, query, variables, { authorization: `Bearer ${token}` });
const revoke = (personalTokenId: string) => ada.ask(REVOKE, { input: { personalTokenId } });

describe('a personal token', () => {
  it('is shown once, then listed without its secret, and no longer listed after it was revoked', async () => {
    const { createPersonalToken } = await ada.graphql(CREATE, { input: { name: 'Laptop', expiresInDays: 30 } });
    const { token, personalToken } = createPersonalToken;
    expect(personalToken).toMatchObject({ name: 'Laptop', tokenHint: `cw_pat_…${token.slice(-4)}`, lastUsedAt: null });
    const days = (Date.parse(personalToken.expiresAt) - Date.parse(personalToken.createdAt)) / 86_400_000;
    expect(days).toBeCloseTo(30, 3);
    await askWith(token, '{ applications { id } }');
    const used = async () => (await ada.graphql(LIST)).personalTokens[0];
    await until(async () => (await used()).lastUsedAt !== null);
    expect(JSON.stringify(await used())).not.toContain(token);
    expect((await revoke(personalToken.id)).data).toEqual({ revokePersonalToken: { id: personalToken.id } });
    expect(await ada.graphql(LIST)).toEqual({ personalTokens: [] });
    expect(codeOf(await revoke(personalToken.id))).toBe('NOT_FOUND');
  });

  it('reads and changes the applications of its owner until it is revoked', async () => {
    const { token, id } = await createToken({ expiresInDays: null });
    const rename = (name: string) => askWith(token, RENAME, { input: { applicationId: application.id, name } });
    expect((await rename('Renamed')).data).toEqual({ updateApplication: { application: { name: 'Renamed' } } });
    expect((await askWith(token, '{ applications { name } me { username } }')).data).toEqual({
      applications: [{ name: 'Renamed' }],
      me: { username: 'ada' },
    });
    await revoke(id);
    expect(codeOf(await rename('Again'))).toBe('UNAUTHENTICATED');
  });

  it('reads no application of another person', async () => {
    const { token } = await createToken();
    const other = await createApplication(await signUp(server, 'bob'));
    const one = 'query ($id: ID!) { application(id: $id) { name } }';
    expect(codeOf(await askWith(token, one, { id: other.id }))).toBe('NOT_FOUND');
  });

  it.each([
    ['list tokens', LIST],
    ['create tokens', 'mutation { createPersonalToken(input: { name: "x" }) { token } }'],
    ['revoke tokens', 'mutation { revokePersonalToken(input: { personalTokenId: "1" }) { id } }'],
    ['change the profile', 'mutation { updateProfile(input: { globalName: "x" }) { user { id } } }'],
    ['list servers', '{ guilds { id } }'],
    ['create servers', 'mutation { createGuild(input: { name: "Harbour" }) { guild { id } } }'],
    ['send messages', 'mutation { sendMessage(input: { channelId: "1", content: "x" }) { message { id } } }'],
  ])('cannot %s', async (_what, query) => {
    const { token } = await createToken();
    const { errors } = await askWith(token, query);
    expect([errors[0]?.extensions.code, errors[0]?.message]).toEqual([
      'FORBIDDEN',
      'Personal tokens can only manage applications and run commands. Sign in to perform this action.',
    ]);
  });

  it('opens exactly these root fields', () => {
    const open = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].map((type) =>
      Object.values(type?.getFields() ?? {})
        .filter((field) => optionsOf(field).skipTypeScopes && !optionsOf(field).authScopes?.operator)
        .map(({ name }) => name)
        .toSorted(),
    );
    expect(open).toEqual([
      ['application', 'applications', 'instance', 'interaction', 'me', 'runnableCommands', 'webhook'],
      [
        'applyApplicationFile',
        'createApplication',
        'createApplicationEmoji',
        'createCommand',
        'createWebhook',
        'deleteApplication',
        'deleteApplicationEmoji',
        'deleteCommand',
        'deleteWebhook',
        'failForwarded',
        'inviteTester',
        'invokeCommand',
        'overwriteCommands',
        'removeTester',
        'resetBotToken',
        'resetClientSecret',
        'takeForwarded',
        'testInteractionsEndpoint',
        'transferApplication',
        'updateApplication',
        'updateApplicationEmoji',
        'updateCommand',
        'updateWebhook',
      ],
      ['applicationChanged', 'interactionChanged', 'interactionForwarded', 'interactionUpdated'],
    ]);
  });

  it('opens every mutation of operators to the command line and to tokens for operators', () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    const named = mutations.filter(({ name }) => name.startsWith('operator'));
    const open = mutations.filter((field) => optionsOf(field).authScopes?.operator);
    expect(named.length).toBeGreaterThan(10);
    expect(open.map(({ name }) => name)).toEqual(named.map(({ name }) => name));
  });

  it('shows nothing of servers, channels and teams but names, however deep a query is', () => {
    const open = openFields();
    expect(open).toMatchObject({
      Channel: ['id', 'name', 'type'],
      Guild: ['id', 'name'],
      Team: ['id', 'name'],
    });
    expect(open.User).not.toContain('email');
    expect(open.Message).not.toContain('referencedMessage');
    const closed = ['Member', 'Invite', 'Ban', 'TeamInvitation', 'MessageConnection', 'Installation', 'Box'];
    expect(Object.keys(open).filter((name) => closed.includes(name))).toEqual([]);
  });

  it('is refused the messages of the channel and the email address behind an interaction', async () => {
    const { token } = await createToken();
    const { textChannelId: channelId } = await createGuild(ada);
    const query = `mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction {
      user { username email } channel { name messages { edges { node { content } } } } message { channel { topic } }
    } } }`;
    const input = { channelId, name: 'userinfo', options: [] };
    const { errors, data } = await askWith(token, query, { input });
    expect(data?.invokeCommand.interaction).toEqual({
      user: { username: 'ada', email: null },
      channel: null,
      message: { channel: { topic: null } },
    });
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']);
  });

  it('works over a WebSocket, and its subscription ends when it is revoked', async () => {
    const { token, id } = await createToken();
    const client = socketClient(server, { token });
    const changes = await subscribe(client, CHANGED, { id: application.id });
    expect((await changes.next()).data?.applicationChanged).toBeDefined();
    await revoke(id);
    expect((await changes.next()).errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED');
    await client.dispose();
  });

  it('cannot subscribe to servers', async () => {
    const { token } = await createToken();
    const guild = await createGuild(ada);
    const client = socketClient(server, { token });
    const changes = await subscribe(client, 'subscription ($id: ID!) { guildChanged(guildId: $id) { id } }', {
      id: guild.id,
    });
    expect((await changes.next()).errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
    await client.dispose();
  });

  it('is refused by REST and by the account pages', async () => {
    const { token } = await createToken();
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await ask(server, 'GET', '/users/@me', { headers });
    const sessions = await fetch(`${server.origin}/auth/list-sessions`, { headers });
    const password = await fetch(`${server.origin}/auth/change-password`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ currentPassword: 'x', newPassword: 'long enough a password' }),
    });
    expect([status, sessions.status, password.status]).toEqual([401, 401, 401]);
  });
});

describe('a personal token for operators', () => {
  const PEOPLE = '{ instance { people { edges { node { id } } } } }';

  it('can only be created by a person with a role', async () => {
    expect(codeOf(await ada.ask(CREATE, { input: { name: 'Admin', forOperator: true } }))).toBe('NOT_FOUND');
  });

  it('acts on the instance as long as its owner has the role, and gives no roles', async () => {
    const olga = await signUp(server, 'olga');
    const mia = await signUp(server, 'mia');
    await makeOperator(server, olga);
    const create = async (forOperator: boolean): Promise<string> =>
      (await olga.graphql(CREATE, { input: { name: 'Admin', forOperator } })).createPersonalToken.token;
    const [token, plain] = [await create(true), await create(false)];
    expect((await olga.graphql('{ personalTokens { forOperator } }')).personalTokens).toEqual([
      { forOperator: false },
      { forOperator: true },
    ]);
    const signOut = { input: { personId: mia.id, reason: 'lost phone' } };
    expect(codeOf(await askWith(token, OPERATOR_MUTATIONS.signOutPerson, signOut))).toBeUndefined();
    expect((await instanceLog(olga))[0]).toBe('PERSON_SIGN_OUT | olga | mia | lost phone');
    expect(codeOf(await askWith(plain, OPERATOR_MUTATIONS.signOutPerson, signOut))).toBe('FORBIDDEN');
    expect(codeOf(await askWith(plain, PEOPLE))).toBe('NOT_FOUND');
    const role = { input: { personId: mia.id, role: 'OPERATOR', reason: 'helps' } };
    expect(codeOf(await askWith(token, OPERATOR_MUTATIONS.setRole, role))).toBe('FORBIDDEN');
    await makeOperator(server, olga, null);
    expect(codeOf(await askWith(token, PEOPLE))).toBe('NOT_FOUND');
  });

  it('is announced as such in the mail', async () => {
    const olga = await signUp(server, 'mailed');
    await makeOperator(server, olga);
    await olga.graphql(CREATE, { input: { name: 'Admin', forOperator: true } });
    await server.app.mailer.settle();
    const [mail] = await outboxOf(server, olga.email);
    expect(mail?.body).toContain('It can also act on the whole instance');
  });
});

describe('createPersonalToken', () => {
  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'CI', expiresInDays: 0 }, 'expiresInDays'],
    [{ name: 'CI', expiresInDays: 400 }, 'expiresInDays'],
  ])('refuses %j at its field', async (input, field) => {
    const { errors } = await ada.ask(CREATE, { input });
    expect(Object.keys(errors[0]?.extensions.fields as object)).toEqual([field]);
  });
});
