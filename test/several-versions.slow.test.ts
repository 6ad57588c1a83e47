import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ThrowAwayDatabase, throwAwayDatabase } from './harness/databases.js';
import { GatewayClient } from './harness/gateway-client.js';
import { askGraphql, type Loose } from './harness/graphql.js';
import { makeOperator, OPERATOR_MUTATIONS } from './harness/operators.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from './harness/people.js';
import { type RunningInstance, startInstance } from './harness/process.js';
import { missingForSeveralProcesses, REDIS_URL } from './harness/redis.js';
import { ask } from './harness/rest.js';
import { startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';
import { until } from './harness/until.js';
import { buildOf, findVersionBefore } from './harness/version-before.js';

const before = findVersionBefore();
const missing = before.missing ?? (await missingForSeveralProcesses());

type Process = { origin: string };

/** The first build of the version before takes half a minute. */
const BUILD_MS = 180_000;

describe.skipIf(missing)(needing(missing, 'the version before and this one share a database'), () => {
  let database: ThrowAwayDatabase | null;
  let dataDir: string;
  let env: Record<string, string>;
  let entryPoint: string;
  let old: RunningInstance;
  let current: TestServer;
  let ada: Person;
  let guild: MadeGuild;
  let bot: MadeApplication;
  const clients: GatewayClient[] = [];

  beforeAll(async () => {
    if (before.missing !== null) return;
    entryPoint = await buildOf(before.commit);
    database = await throwAwayDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-upgrade-'));
    env = { DATABASE_URL: database?.url ?? '', REDIS_URL, DATA_DIR: dataDir };
    old = await startOld();
    ada = await signUp({ origin: old.origin }, 'ada');
    guild = await createGuild(ada);
    bot = await createApplication(ada);
    await install(ada, bot, guild);
  }, BUILD_MS);
  afterAll(async () => {
    for (const client of clients) await client.close();
    await Promise.all([current?.stop(), old && (old.process.exitCode ?? old.end('SIGTERM'))]);
    await database?.drop();
    if (dataDir) await rm(dataDir, { recursive: true, force: true });
  });

  const startOld = () => startInstance(env, undefined, entryPoint);

  /** The same person, who asks another process. */
  function at({ origin }: Process, person: Person): Person {
    const ask = <Data = Loose>(query: string, variables: object = {}) =>
      askGraphql<Data>({ origin }, query, variables, { authorization: `Bearer ${person.token}` });
    return {
      ...person,
      ask,
      async graphql<Data = Loose>(query: string, variables: object = {}) {
        const { data, errors } = await ask<Data>(query, variables);
        if (errors.length > 0 || data === null) throw new Error(`the query failed: ${JSON.stringify(errors)}`);
        return data;
      },
    };
  }

  async function connect({ origin }: Process, { botToken } = bot): Promise<GatewayClient> {
    const client = await GatewayClient.open(origin);
    clients.push(client);
    await client.ready(botToken);
    return client;
  }

  it('migrates the tables while the version before serves requests', async () => {
    const client = await connect(old);
    const sent: string[] = [];
    const starting = startServer({ env });
    let isStarting = true;
    const settled = starting.finally(() => {
      isStarting = false;
    });
    while (isStarting) {
      sent.push(`message ${sent.length}`);
      await sendMessage(ada, guild.textChannelId, sent.at(-1) ?? '');
    }
    current = await settled;
    for (const content of sent) expect((await client.event('MESSAGE_CREATE')).d.content).toBe(content);
    await client.close();
  });

  describe.each(['from the version before', 'to the version before'] as const)('%s', (direction) => {
    const isFromOld = direction === 'from the version before';
    let writer: Person;
    let client: GatewayClient;
    let receiver: Process;

    beforeAll(async () => {
      receiver = isFromOld ? current : old;
      writer = at(isFromOld ? old : current, ada);
      client = await connect(receiver);
    });
    afterAll(() => client?.close());

    it('go messages and their changes', async () => {
      const messageId = await sendMessage(writer, guild.textChannelId, direction);
      expect((await client.event('MESSAGE_CREATE')).d).toMatchObject({ id: messageId, content: direction });
      const place = { channelId: guild.textChannelId, messageId };
      await writer.graphql(EDIT, { input: { ...place, content: 'edited' } });
      expect((await client.event('MESSAGE_UPDATE')).d.content).toBe('edited');
      await writer.graphql(DELETE, { input: place });
      expect((await client.event('MESSAGE_DELETE')).d.id).toBe(messageId);
    });

    it('go members, roles and channels', async () => {
      const guest = await signUp({ origin: old.origin }, isFromOld ? 'grace' : 'mary');
      await invite(writer, guild, at(isFromOld ? old : current, guest));
      expect((await client.event('GUILD_MEMBER_ADD')).d.user.id).toBe(guest.id);
      const { createRole } = await writer.graphql(CREATE_ROLE, { input: { guildId: guild.id, name: direction } });
      expect((await client.event('GUILD_ROLE_CREATE')).d.role.name).toBe(direction);
      const member = { guildId: guild.id, userId: guest.id };
      await writer.graphql(SET_ROLES, { input: { ...member, roleIds: [createRole.role.id] } });
      expect((await client.event('GUILD_MEMBER_UPDATE')).d.roles).toEqual([createRole.role.id]);
      await writer.graphql(RENAME, { input: { channelId: guild.textChannelId, name: isFromOld ? 'one' : 'two' } });
      expect((await client.event('CHANNEL_UPDATE')).d.name).toBe(isFromOld ? 'one' : 'two');
    });

    it('go interactions and their answers', async () => {
      const { body: command } = await ask(isFromOld ? old : current, 'PUT', `/applications/${bot.id}/commands`, {
        headers: { authorization: `Bot ${bot.botToken}` },
        json: [{ name: isFromOld ? 'ping' : 'pong', description: 'Answers' }],
      });
      const input = { channelId: guild.textChannelId, commandId: command[0].id };
      const { invokeCommand } = await writer.graphql(INVOKE, { input });
      const { d } = await client.event('INTERACTION_CREATE');
      expect(d.id).toBe(invokeCommand.interaction.id);
      const json = { type: 4, data: { content: 'answered' } };
      expect((await ask(receiver, 'POST', `/interactions/${d.id}/${d.token}/callback`, { json })).status).toBe(204);
      const { interaction } = await writer.graphql('query ($id: ID!) { interaction(id: $id) { state } }', { id: d.id });
      expect(interaction.state).toBe('ANSWERED');
    });

    it('go new accounts, applications, tokens and webhooks', async () => {
      const maker = isFromOld ? old : current;
      const person = await signUp({ origin: maker.origin }, isFromOld ? 'linus' : 'margaret');
      const application = await createApplication(person);
      const { applications } = await at(receiver, person).graphql('{ applications { id } }');
      expect(applications).toEqual([{ id: application.id }]);
      const { createPersonalToken } = await writer.graphql(
        'mutation ($input: CreatePersonalTokenInput!) { createPersonalToken(input: $input) { token } }',
        { input: { name: direction } },
      );
      const byToken = at(receiver, { ...ada, token: createPersonalToken.token });
      expect((await byToken.graphql('{ applications { id } }')).applications).toEqual([{ id: bot.id }]);
      const { createWebhook } = await writer.graphql(
        'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { url } }',
        { input: { applicationId: bot.id, channelId: guild.textChannelId, name: 'Builds' } },
      );
      const { pathname } = new URL(createWebhook.url);
      const json = { content: `built ${direction}` };
      expect((await ask(receiver, 'POST', new URL(pathname, receiver.origin).href, { json })).status).toBe(200);
      await client.next(({ t, d }) => t === 'MESSAGE_CREATE' && d.content === json.content);
    });
  });

  it('ends the sessions of a suspended person, who can sign in again at the version before', async () => {
    const [olga, eve] = [await signUp(current, 'olga'), await signUp({ origin: old.origin }, 'eve')];
    await makeOperator(current, olga);
    const asks = (process: Process, person: Person) => at(process, person).ask('{ me { id } }');
    for (const process of [old, current]) expect((await asks(process, eve)).data?.me).toEqual({ id: eve.id });
    await olga.graphql(OPERATOR_MUTATIONS.suspendPerson, { input: { personId: eve.id, reason: 'spam' } });
    await expect.poll(async () => (await asks(old, eve)).data?.me ?? null).toBeNull();
    expect((await asks(current, eve)).data?.me ?? null).toBeNull();
    expect(await (await signIn(current, eve)).text()).toContain('suspended');
    const again = await signIn(old, eve);
    expect(again.status).toBe(200);
    const { token } = (await again.json()) as { token: string };
    expect((await asks(old, { ...eve, token })).data?.me).toEqual({ id: eve.id });
    expect((await asks(current, { ...eve, token })).data?.me ?? null).toBeNull();
  });

  it('stops a suspended application, except at the version before', async () => {
    const [otto, spammer] = [await signUp(current, 'otto'), await createApplication(ada, 'Spammer')];
    await makeOperator(current, otto);
    const status = async (process: Process) =>
      (await ask(process, 'GET', '/users/@me', { headers: { authorization: `Bot ${spammer.botToken}` } })).status;
    for (const process of [old, current]) expect(await status(process)).toBe(200);
    await otto.graphql(OPERATOR_MUTATIONS.suspendApplication, { input: { applicationId: spammer.id, reason: 'spam' } });
    expect(await status(current)).toBe(401);
    expect(await status(old)).toBe(200);
  });

  it('resumes the sessions of a bot when the version before stops, without missing events', async () => {
    const client = await connect(old);
    const session = client.frames.find(({ t }) => t === 'READY')?.d.session_id as string;
    const leaving = old.end('SIGTERM');
    const writer = at(current, ada);
    const sent: string[] = [];
    const say = async () => {
      sent.push(`message ${sent.length}`);
      await sendMessage(writer, guild.textChannelId, sent.at(-1) ?? '');
    };
    await say();
    await client.closed;
    await say();
    expect(await leaving).toBe(0);
    await say();
    const resumed = await GatewayClient.open(current.origin);
    clients.push(resumed);
    resumed.send(6, { token: bot.botToken, session_id: session, seq: client.sequence });
    await resumed.event('RESUMED');
    await say();
    await until(() => contentsOf(client, resumed).at(-1) === sent.at(-1));
    expect(contentsOf(client, resumed)).toEqual(sent);
  });

  it('refuses to start the version before again', async () => {
    await expect(startOld()).rejects.toThrow('the process ended with 1');
  });
});

const mutation = (name: string, input: string, shown: string) =>
  `mutation ($input: ${input}!) { ${name}(input: $input) { ${shown} } }`;

const EDIT = mutation('editMessage', 'EditMessageInput', 'message { id }');
const DELETE = mutation('deleteMessage', 'MessageIdInput', 'id');
const CREATE_ROLE = mutation('createRole', 'CreateRoleInput', 'role { id }');
const SET_ROLES = mutation('setMemberRoles', 'SetMemberRolesInput', 'member { user { id } }');
const RENAME = mutation('updateChannel', 'UpdateChannelInput', 'channel { id }');
const INVOKE = mutation('invokeCommand', 'InvokeCommandInput', 'interaction { id }');

function contentsOf(...clients: GatewayClient[]): string[] {
  return clients.flatMap(({ frames }) => frames.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d.content));
}

const signIn = ({ origin }: Process, { email, password }: Person): Promise<Response> =>
  fetch(`${origin}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
