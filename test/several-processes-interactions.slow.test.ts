import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { updateApplication } from '../src/domain/applications/index.js';
import { setCommandPermissions } from '../src/domain/command-permissions/index.js';
import { deleteCommand } from '../src/domain/commands/index.js';
import { uninstallApplication } from '../src/domain/installations/index.js';
import { entry, OF_USER, putCommand } from './harness/command-rows.js';
import { throwAwayDatabase } from './harness/databases.js';
import { type EndpointOptions, startEndpoint, type TestEndpoint } from './harness/endpoint.js';
import { GatewayClient } from './harness/gateway-client.js';
import type { Loose } from './harness/graphql.js';
import { eventually } from './harness/jobs.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from './harness/people.js';
import { startInstance } from './harness/process.js';
import { missingForSeveralProcesses, REDIS_URL } from './harness/redis.js';
import { ask as send } from './harness/rest.js';
import { startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';
import { socketClient, subscribe } from './harness/sockets.js';
import { callOf, userOf } from './harness/world.js';

const missing = await missingForSeveralProcesses();

/** An application in the guild, with a command that has autocompletion. */
interface Hosted extends MadeApplication {
  commandId: string;
}

describe.skipIf(missing)(needing(missing, 'interactions in two processes'), () => {
  let database: { url: string; drop(): Promise<void> } | null;
  let dataDir: string;
  let env: Record<string, string>;
  let first: TestServer;
  let second: TestServer;
  let ada: Person;
  let guild: MadeGuild;
  const open: { close(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    database = await throwAwayDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-shared-'));
    env = { DATABASE_URL: database?.url ?? '', REDIS_URL, DATA_DIR: dataDir, ALLOW_PRIVATE_ENDPOINTS: 'on' };
    [first, second] = await Promise.all([startServer({ env }), startServer({ env })]);
    ada = await signUp(first, 'ada');
    guild = await createGuild(ada);
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop()]);
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function host(): Promise<Hosted> {
    const application = await createApplication(ada);
    await install(ada, application, guild);
    const options = [{ type: 3, name: 'text', description: 'What', autocomplete: true }];
    const { id } = await putCommand(first.app, BigInt(application.id), { options });
    return { ...application, commandId: String(id) };
  }

  /** Gives an application an endpoint that both processes know. */
  async function serve({ id, publicKey }: Hosted, options: EndpointOptions): Promise<TestEndpoint> {
    const endpoint = await startEndpoint({ publicKey, ...options });
    open.push(endpoint);
    const where = { id: BigInt(id) };
    await first.app.db.writer.application.update({ where, data: { interactionsEndpointUrl: endpoint.url } });
    return endpoint;
  }

  async function connect({ origin }: TestServer, { botToken }: Hosted): Promise<GatewayClient> {
    const client = await GatewayClient.open(origin);
    open.push(client);
    await client.ready(botToken);
    return client;
  }

  async function invoke({ commandId }: Hosted): Promise<Loose> {
    const { invokeCommand } = await ada.graphql(
      'mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction { id state } } }',
      { input: { channelId: guild.textChannelId, commandId } },
    );
    return invokeCommand.interaction;
  }

  const callback = (
    { origin }: TestServer,
    { id, token }: Loose,
    json: object = { type: 4, data: { content: 'hi' } },
  ) => send({ origin }, 'POST', `/interactions/${id}/${token}/callback`, { json });
  const stateOf = async ({ app }: TestServer, id: string) =>
    (await app.db.reader.interaction.findUniqueOrThrow({ where: { id: BigInt(id) } })).state;
  const told = async (client: GatewayClient): Promise<string[]> =>
    (await client.settled()).filter(({ t }) => t === 'INTERACTION_CREATE').map(({ d }) => d.id);

  it('I-14: a session of the other process gets an interaction, and its answer there is accepted', async () => {
    const hosted = await host();
    const client = await connect(second, hosted);
    const { id, state } = await invoke(hosted);
    expect(state).toBe('DELIVERED_GATEWAY');
    const { d } = await client.event('INTERACTION_CREATE');
    expect(d.id).toBe(id);
    expect((await callback(second, d)).status).toBe(204);
    expect(await stateOf(first, id)).toBe('ANSWERED');
  });

  it('one process drops a cached application when the other changes it', async () => {
    const hosted = await host();
    const applicationId = BigInt(hosted.id);
    const [guildId, commandId] = [BigInt(guild.id), BigInt(hosted.commandId)];
    const seenBy = async ({ app: { applications } }: TestServer) => ({
      name: (await applications.application(applicationId))?.name,
      command: (await applications.command(commandId))?.command.name,
      isInstalled: (await applications.installations(applicationId, guildId, BigInt(ada.id))).guild,
      said: (await applications.permissions(applicationId, guildId, commandId)).length,
    });
    const before = await seenBy(first);
    expect(before).toMatchObject({ name: hosted.name, isInstalled: true, said: 0 });
    const owner = callOf(second.app, await userOf(second.app, ada));
    await setCommandPermissions(owner, { guildId, applicationId, entries: [entry(OF_USER, BigInt(ada.id))] });
    await eventually(async () => expect(await seenBy(first)).toEqual({ ...before, said: 1 }));
    await updateApplication(owner, { applicationId, name: 'Heron' });
    await eventually(async () => expect(await seenBy(first)).toMatchObject({ name: 'Heron' }));
    const { id } = await second.app.db.reader.installation.findFirstOrThrow({ where: { applicationId, guildId } });
    await uninstallApplication(owner, id);
    await eventually(async () => expect(await seenBy(first)).toMatchObject({ isInstalled: false, said: 0 }));
    await deleteCommand(callOf(second.app, await userOf(second.app, hosted)), {
      applicationId,
      guildId: null,
      commandId,
    });
    await eventually(async () => expect(await seenBy(first)).not.toHaveProperty('command', before.command));
  });

  const TAKE = 'mutation ($input: TakeForwardedInput!) { takeForwarded(input: $input) { taken } }';

  it('a listener at one process gets what the other delivers, instead of the endpoint, and exactly one of two gets it', async () => {
    const hosted = await host();
    const endpoint = await serve(hosted, {});
    const clients = [first, second].map((server) => socketClient(server, { token: ada.token }));
    const query = 'subscription ($id: ID!) { interactionForwarded(applicationId: $id) { id body } }';
    const listeners = await Promise.all(clients.map((client) => subscribe(client, query, { id: hosted.id })));
    const received = listeners.map((one) => one.next());
    const { errors, index } = await Promise.race(
      received.map(async (one, at) => ({ index: at, errors: (await one.catch(() => null))?.errors })),
    );
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
    await eventually(async () =>
      expect((await first.app.applications.application(BigInt(hosted.id)))?.listenerId).toBeTruthy(),
    );
    const taken = received[1 - index]?.then(async (offer) => {
      const input = { interactionId: offer.data?.interactionForwarded.id };
      return ada.graphql(TAKE, { input });
    });
    const { state } = await invoke(hosted);
    expect([state, endpoint.requests]).toEqual(['DELIVERED_HTTP', []]);
    expect(await taken).toEqual({ takeForwarded: { taken: true } });
    for (const client of clients) await client.dispose();
    await eventually(async () => {
      await invoke(hosted);
      expect(endpoint.requests).toHaveLength(1);
    });
  });

  it('I-5: of callbacks to both processes at once, one counts', async () => {
    const hosted = await host();
    const client = await connect(second, hosted);
    for (let round = 0; round < 5; round += 1) {
      await invoke(hosted);
      const { d } = await client.event('INTERACTION_CREATE');
      const answers = Array.from({ length: 10 }, (_, n) => callback(n % 2 === 0 ? first : second, d));
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 204)).toHaveLength(1);
      expect(statuses.filter((status) => status === 400)).toHaveLength(9);
    }
  });

  it('I-14: of sessions in both, exactly one gets each of fifty', async () => {
    const hosted = await host();
    const clients = [await connect(first, hosted), await connect(second, hosted)];
    const asked: string[] = [];
    for (let n = 0; n < 50; n += 1) asked.push((await invoke(hosted)).id);
    const got: string[] = [];
    await eventually(async () => {
      for (const client of clients) got.push(...(await told(client)));
      expect(got.length).toBeGreaterThanOrEqual(50);
    });
    expect(got.sort()).toEqual(asked.sort());
  });

  it('I-14: a session that waits for a RESUME leaves an interaction to a session that is connected elsewhere', async () => {
    const hosted = await host();
    const dropped = await GatewayClient.open(first.origin);
    await dropped.ready(hosted.botToken);
    await dropped.close(4_000);
    const connected = await connect(second, hosted);
    const asked: string[] = [];
    for (let n = 0; n < 10; n += 1) asked.push((await invoke(hosted)).id);
    const got: string[] = [];
    await eventually(async () => {
      got.push(...(await told(connected)));
      expect(got).toEqual(asked);
    });
  });

  it('I-10: an interaction that one process posts to an endpoint can be answered and followed up at the other', async () => {
    const hosted = await host();
    const endpoint = await serve(hosted, { answer: () => undefined });
    const { id, state } = await invoke(hosted);
    expect(state).toBe('DELIVERED_HTTP');
    const { token } = endpoint.requests[0]?.interaction ?? {};
    expect((await callback(second, { id, token }, { type: 5 })).status).toBe(204);
    const path = `/webhooks/${hosted.id}/${token}`;
    expect((await send(first, 'PATCH', `${path}/messages/@original`, { json: { content: 'done' } })).status).toBe(200);
    expect((await send(second, 'POST', path, { json: { content: 'more' } })).status).toBe(200);
    expect(await stateOf(first, id)).toBe('ANSWERED');
    expect((await send(first, 'GET', `${path}/messages/@original`)).body).toMatchObject({ content: 'done' });
  });

  it('I-11: an interaction that the endpoint refused goes to a session of the other, and a callback there ends the wait', async () => {
    const hosted = await host();
    const endpoint = await serve(hosted, {});
    endpoint.mode('error');
    const client = await connect(second, hosted);
    const { id, state } = await invoke(hosted);
    expect(state).toBe('DELIVERED_GATEWAY');
    expect(await told(client)).toEqual([id]);
  });

  it('I-1: an autocompletion is answered in the other process', async () => {
    const hosted = await host();
    const client = await connect(second, hosted);
    const options = [{ name: 'text', type: 3, value: 'a', focused: true }];
    const answered = ada.graphql(
      'mutation ($input: InvokeCommandInput!) { autocompleteCommand(input: $input) { choices } }',
      { input: { channelId: guild.textChannelId, commandId: hosted.commandId, options } },
    );
    const { d } = await client.event('INTERACTION_CREATE');
    const choices = [{ name: 'A', value: 'a' }];
    await callback(second, d, { type: 8, data: { choices } });
    expect((await answered).autocompleteCommand.choices).toEqual(choices);
  });

  it('I-6: an interaction of a killed process fails by the job of another', async () => {
    const hosted = await host();
    await serve(hosted, { answer: () => undefined });
    const third = await startInstance(env);
    const answer = await fetch(`${third.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` },
      body: JSON.stringify({
        query: 'mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction { id state } } }',
        variables: { input: { channelId: guild.textChannelId, commandId: hosted.commandId } },
      }),
    });
    await third.end('SIGKILL');
    const { data } = (await answer.json()) as { data: Loose };
    const { id, state } = data.invokeCommand.interaction;
    expect(state).toBe('DELIVERED_HTTP');
    const { endsAt } = await first.app.db.reader.interaction.findUniqueOrThrow({ where: { id: BigInt(id) } });
    // The job of the dead process would be due within a minute.
    await first.app.db.writer.job.updateMany({
      where: { key: 'overdue-interactions' },
      data: { dueAt: endsAt, holder: null },
    });
    const fourth = await startServer({ env, jobs: true });
    await eventually(async () => expect(await stateOf(first, id)).toBe('FAILED'));
    await fourth.stop();
  });
});
