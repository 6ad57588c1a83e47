import { verifyKey } from 'discord-interactions';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { putCommand } from '../harness/command-rows.js';
import { it } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { askGraphql, codeOf, type Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { ask } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { type Subscription, socketClient, subscribe } from '../harness/sockets.js';
import { until } from '../harness/until.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let commandId: string;
let clients: ReturnType<typeof socketClient>[];

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
});
beforeEach(async () => {
  clients = [];
  application = await createApplication(ada);
  await install(ada, application, guild);
  commandId = String((await putCommand(server.app, BigInt(application.id), { name: 'lunch' })).id);
});
afterEach(() => Promise.all(clients.map((client) => client.dispose())));

const LISTEN = `subscription ($id: ID!) { interactionForwarded(applicationId: $id) { id body signature timestamp } }`;

function listen(token = ada.token): Promise<Subscription<Loose>> {
  const client = socketClient(server, { token });
  clients.push(client);
  return subscribe(client, LISTEN, { id: application.id });
}

const invoke = async (): Promise<Loose> => {
  const { invokeCommand } = await ada.graphql(
    `mutation ($input: InvokeCommandInput!) {
      invokeCommand(input: $input) { interaction { id state failure message { content } trace { kind reason } } }
    }`,
    { input: { channelId: guild.textChannelId, commandId } },
  );
  return invokeCommand.interaction;
};
const take = async (id: string, person = ada): Promise<Loose> =>
  person.ask(
    'mutation ($input: TakeForwardedInput!) { takeForwarded(input: $input) { taken interaction { state } } }',
    {
      input: { interactionId: id },
    },
  );
const isListening = async () =>
  (await ada.graphql('query ($id: ID!) { application(id: $id) { hasListener } }', { id: application.id })).application
    .hasListener;
/** Takes what the listener receives while ada runs the command. */
const invokeAndTake = async (listener: Subscription<Loose>): Promise<Loose> => {
  const [invoked, forwarded] = await Promise.all([
    invoke(),
    listener.next().then(async ({ data }) => {
      await take(data?.interactionForwarded.id);
      return data?.interactionForwarded;
    }),
  ]);
  return { ...invoked, ...forwarded };
};
const answer = ({ id, body }: Loose) =>
  ask(server, 'POST', `/interactions/${id}/${JSON.parse(body).token}/callback`, {
    json: { type: 4, data: { content: 'Onion tart' } },
  });

describe('a listener', () => {
  it('receives what an endpoint would, also next to a connected bot, and answers through the callback route', async () => {
    const bot = await GatewayClient.open(server.origin);
    await bot.ready(application.botToken);
    const listener = await listen();
    expect(await isListening()).toBe(true);
    const forwarded = await invokeAndTake(listener);
    const { body, signature, timestamp, state } = forwarded;
    expect(state).toBe('DELIVERED_HTTP');
    expect(await verifyKey(body, signature, timestamp, application.publicKey)).toBe(true);
    expect(JSON.parse(body)).toMatchObject({ id: forwarded.id, type: 2, data: { name: 'lunch' } });
    expect((await answer(forwarded)).status).toBe(204);
    expect(bot.frames.filter(({ t }) => t === 'INTERACTION_CREATE')).toEqual([]);
    await bot.close();
  });

  it('gives the interactions back to the bot when it ends', async () => {
    const bot = await GatewayClient.open(server.origin);
    await bot.ready(application.botToken);
    const listener = await listen();
    listener.stop();
    await until(async () => !(await isListening()));
    expect(await invoke()).toMatchObject({ state: 'DELIVERED_GATEWAY' });
    expect((await bot.event('INTERACTION_CREATE')).d).toMatchObject({ data: { name: 'lunch' } });
    await bot.close();
  });

  it('is replaced by a newer one, and leaves it alone', async () => {
    const [first, second] = [await listen(), await listen()];
    expect(await first.next()).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] });
    await first.ended;
    expect(await isListening()).toBe(true);
    expect(await invokeAndTake(second)).toMatchObject({ state: 'DELIVERED_HTTP' });
  });

  it('can fail an interaction at once, and only once', async () => {
    const listener = await listen();
    const { id } = await invokeAndTake(listener);
    const fail = async (reason: string) =>
      (
        await ada.graphql(
          `mutation ($input: FailForwardedInput!) {
            failForwarded(input: $input) { interaction { state failure trace { kind reason status } } }
          }`,
          { input: { interactionId: id, reason, status: 500 } },
        )
      ).failForwarded.interaction;
    const failed = await fail('It is down.');
    expect(failed).toMatchObject({ state: 'FAILED', failure: 'It is down.' });
    expect(failed.trace.at(-1)).toEqual({ kind: 'FAILED', reason: 'It is down.', status: 500 });
    expect(await fail('Again.')).toMatchObject({ failure: 'It is down.' });
  });

  it('is only for developers of the application, who alone may fail what it received', async () => {
    const eve = await signUp(server, 'eve');
    const client = socketClient(server, { token: eve.token });
    clients.push(client);
    const refused = await subscribe(client, LISTEN, { id: application.id });
    expect(await refused.next()).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    const { id } = await invokeAndTake(await listen());
    expect(codeOf(await take(id, eve))).toBe('NOT_FOUND');
    const fail = 'mutation ($input: FailForwardedInput!) { failForwarded(input: $input) { interaction { id } } }';
    const answered = await askGraphql(
      server,
      fail,
      { input: { interactionId: id, reason: 'no' } },
      {
        authorization: `Bearer ${eve.token}`,
      },
    );
    expect(codeOf(answered)).toBe('NOT_FOUND');
  });

  it('that is gone with its process delays an interaction by a second, and the endpoint or the bot gets it', async () => {
    const bot = await GatewayClient.open(server.origin);
    await bot.ready(application.botToken);
    const data = { listenerId: 'of another process', listenerProcessId: server.app.live.id };
    await server.app.db.writer.application.update({ where: { id: BigInt(application.id) }, data });
    server.app.publish({ type: 'APPLICATION_UPDATED', applicationId: BigInt(application.id) });
    const begun = performance.now();
    expect(await invoke()).toMatchObject({ state: 'DELIVERED_GATEWAY' });
    expect(performance.now() - begun).toBeGreaterThan(900);
    await bot.close();
  });

  it('with a dead connection takes nothing: the endpoint or the bot gets it, and taking it later does nothing', async () => {
    const bot = await GatewayClient.open(server.origin);
    await bot.ready(application.botToken);
    const listener = await listen();
    expect(await invoke()).toMatchObject({ state: 'DELIVERED_GATEWAY' });
    const { data } = await listener.next();
    const { takeForwarded } = (await take(data?.interactionForwarded.id)).data;
    expect(takeForwarded).toEqual({ taken: false, interaction: { state: 'DELIVERED_GATEWAY' } });
    await bot.close();
  });

  it('that does not answer is named in the failure', async () => {
    const { id } = await invokeAndTake(await listen());
    await server.app.db.writer.interaction.update({ where: { id: BigInt(id) }, data: { endsAt: new Date(0) } });
    const query = 'query ($id: ID!) { interaction(id: $id) { state failure } }';
    const failure = 'A listener received the interaction but did not answer it within 3 seconds.';
    expect((await ada.graphql(query, { id })).interaction).toEqual({ state: 'FAILED', failure });
  });

  it('is not there any more when the row of its process is removed', async () => {
    const processId = 'ended';
    await server.app.db.writer.liveProcess.create({ data: { id: processId, until: new Date() } });
    const where = { id: BigInt(application.id) };
    await server.app.db.writer.application.update({
      where,
      data: { listenerId: 'its own', listenerProcessId: processId },
    });
    expect(await isListening()).toBe(true);
    await server.app.db.writer.liveProcess.delete({ where: { id: processId } });
    expect(await isListening()).toBe(false);
  });
});
