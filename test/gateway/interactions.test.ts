import { MessageFlags } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callContext } from '../../src/context.js';
import { invokeCommand } from '../../src/domain/interactions/index.js';
import { topics } from '../../src/infra/streams/topics.js';
import { installWithCommands, openScene, type Scene, storeCommand } from '../domain/interactions/scene.js';
import { ManualClock, MovableClock } from '../harness/clock.js';
import { GatewayClient } from '../harness/gateway-client.js';
import type { Loose } from '../harness/graphql.js';
import { answer, kindsOfSteps, rowOf, stepsOf } from '../harness/interactions.js';
import { eventually } from '../harness/jobs.js';
import { ask as send } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { addMember, createBot, type TestBot } from '../harness/world.js';

const clock = new MovableClock();
let server: TestServer;
let scene: Scene;
let commandId: bigint;
const open: GatewayClient[] = [];
beforeAll(async () => {
  server = await startServer({ clock });
  scene = await openScene(server);
  commandId = await storeCommand(scene);
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(() => server.stop());

async function connect(token = scene.bot.token, more: object = {}): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin);
  open.push(client);
  await client.ready(token, more);
  return client;
}

const invoke = (call = scene.owner, of = commandId) =>
  invokeCommand(call, { channelId: scene.guild.channel.id, commandId: of, options: [] });

async function otherBot(): Promise<TestBot> {
  const bot = await createBot(server.app);
  await installWithCommands(server.app, bot, scene.guild);
  return bot;
}

const commandOf = ({ id }: TestBot) => storeCommand({ ...scene, bot: { ...scene.bot, id } });

/** Resolves when an interaction of the bot is offered to its sessions. */
function nextOffer(botId: bigint): { ready: Promise<void>; made: Promise<void> } {
  let tell: () => void = () => {};
  const made = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const subscription = server.app.bus.subscribe(topics.application(botId), ({ type }) => {
    if (type !== 'INTERACTION_CREATE') return;
    subscription.close();
    tell();
  });
  return { ready: subscription.ready, made };
}

const told = async (client: GatewayClient): Promise<Loose[]> =>
  (await client.settled()).filter(({ t }) => t === 'INTERACTION_CREATE').map(({ d }) => d);

describe('INTERACTION_CREATE', () => {
  it('I-14: needs no intent, and always has all documented fields', async () => {
    const client = await GatewayClient.open(server.origin);
    open.push(client);
    client.identify(scene.bot.token, { intents: 0 });
    await client.event('READY');
    const sent = await invoke();
    expect(sent).toMatchObject({ state: 'DELIVERED_GATEWAY', fellBack: false, httpMs: null });
    const { d } = await client.event('INTERACTION_CREATE');
    expect(Object.keys(d).sort()).toEqual(
      [
        'app_permissions',
        'application_id',
        'attachment_size_limit',
        'authorizing_integration_owners',
        'channel',
        'channel_id',
        'context',
        'data',
        'entitlements',
        'guild',
        'guild_id',
        'guild_locale',
        'id',
        'locale',
        'member',
        'token',
        'type',
        'version',
      ].sort(),
    );
    expect(d).toMatchObject({ id: String(sent.id), application_id: String(scene.bot.id), version: 1, type: 2 });
    expect(await kindsOfSteps(server, sent)).toEqual(['GATEWAY']);
  });

  it('I-14: goes to the newest of several sessions only', async () => {
    const clients = [await connect(), await connect(), await connect()];
    const sent = await invoke();
    expect((await told(clients[2] as GatewayClient)).map(({ id }) => id)).toEqual([String(sent.id)]);
    expect(await told(clients[0] as GatewayClient)).toEqual([]);
    expect(await told(clients[1] as GatewayClient)).toEqual([]);
  });

  it('I-14: goes to the shard of the guild', async () => {
    const shards = [
      await connect(scene.bot.token, { shard: [0, 2] }),
      await connect(scene.bot.token, { shard: [1, 2] }),
    ];
    await invoke();
    const of = Number((scene.guild.id >> 22n) % 2n);
    expect(await told(shards[of] as GatewayClient)).toHaveLength(1);
    expect(await told(shards[1 - of] as GatewayClient)).toEqual([]);
  });

  it('I-14: goes to a connected session before a newer one that waits for a RESUME', async () => {
    const [connected, dropped] = [await connect(), await connect()];
    await drop(dropped);
    await invoke();
    expect(await told(connected)).toHaveLength(1);
  });

  it('I-14: waits for the RESUME if no session is connected', async () => {
    const first = await GatewayClient.open(server.origin);
    const { d: ready } = await first.ready(scene.bot.token);
    await drop(first);
    const sent = await invoke();
    expect(sent.state).toBe('DELIVERED_GATEWAY');
    const client = await GatewayClient.open(server.origin);
    open.push(client);
    client.send(6, { token: scene.bot.token, session_id: ready.session_id, seq: first.sequence });
    expect((await client.event('INTERACTION_CREATE')).d.id).toBe(String(sent.id));
  });

  it('I-26: does not go to another bot', async () => {
    const stranger = await createBot(server.app);
    await addMember(server.app, scene.guild.id, stranger.user);
    const [own, other] = [await connect(), await connect(stranger.token)];
    await invoke();
    expect(await told(own)).toHaveLength(1);
    expect(await told(other)).toEqual([]);
  });

  it('I-15: fails if no session takes it within 3 s', async () => {
    const sending = invoke(scene.owner, await commandOf(await otherBot()));
    await clock.advanceOnceWaiting(3_000);
    const sent = await sending;
    expect(sent).toMatchObject({ state: 'FAILED', endsAt: null, failure: expect.stringMatching(/No gateway session/) });
    expect(await stepsOf(server, sent)).toMatchObject([{ kind: 'FAILED', reason: sent.failure }]);
  });

  it('I-15: is not given to a session that connects after the offer, within the 3 s', async () => {
    const bot = await otherBot();
    const offered = nextOffer(bot.id);
    await offered.ready;
    const sending = invoke(scene.owner, await commandOf(bot));
    await offered.made;
    const client = await connect(bot.token);
    clock.advance(3_000);
    expect(await sending).toMatchObject({ state: 'FAILED' });
    expect(await told(client)).toEqual([]);
  });

  it('I-15: is not reported as failed if it was taken and the confirmation was lost', async () => {
    const bot = await otherBot();
    const offered = nextOffer(bot.id);
    await offered.ready;
    const sending = invoke(scene.owner, await commandOf(bot));
    await offered.made;
    const taken = { state: 'DELIVERED_GATEWAY', endsAt: new Date(server.app.clock.now() + 60_000) } as const;
    await server.app.db.writer.interaction.updateMany({ where: { applicationId: bot.id }, data: taken });
    clock.advance(3_000);
    const sent = await sending;
    expect(sent).toMatchObject({ state: 'DELIVERED_GATEWAY', failure: null });
    expect(await stepsOf(server, sent)).toEqual([]);
  });

  it('I-14: is taken once, however often it is offered', async () => {
    const client = await connect();
    const { app } = server;
    const messages: unknown[] = [];
    const listening = app.bus.subscribe(topics.application(scene.bot.id), (message) => {
      if (message.type === 'INTERACTION_CREATE') messages.push(message);
    });
    await listening.ready;
    await invoke();
    listening.close();
    expect(messages).toHaveLength(1);
    await client.event('INTERACTION_CREATE');
    for (const message of messages) await app.bus.publish(topics.application(scene.bot.id), message as never);
    expect(await told(client)).toEqual([]);
  });

  it('I-6: fails after 3 s without an answer', async () => {
    const client = await connect();
    const sent = await invoke();
    const { d } = await client.event('INTERACTION_CREATE');
    clock.advance(3_100);
    await eventually(async () => expect((await rowOf(server, sent)).state).toBe('FAILED'));
    const late = await send(server, 'POST', `/interactions/${d.id}/${d.token}/callback`, { json: { type: 5 } });
    expect(late).toMatchObject({ status: 404, body: { code: 10062 } });
  });
});

describe('the events of an answer', () => {
  it('I-23: go only to its own bot if the answer is ephemeral, as in a direct channel', async () => {
    const stranger = await createBot(server.app);
    await addMember(server.app, scene.guild.id, stranger.user);
    const [own, other] = [await connect(), await connect(stranger.token)];
    await invoke();
    const { d } = await own.event('INTERACTION_CREATE');
    const asked = { id: BigInt(d.id), token: d.token };
    const { message } = await answer(scene, asked, {
      type: 4,
      data: { content: 'psst', flags: MessageFlags.Ephemeral },
    });
    const path = `/webhooks/${scene.bot.id}/${asked.token}/messages/@original`;
    await send(server, 'PATCH', path, { json: { content: 'changed' } });
    await send(server, 'DELETE', path);
    for (const type of ['MESSAGE_CREATE', 'MESSAGE_UPDATE', 'MESSAGE_DELETE']) {
      const event = await own.event(type);
      expect(event.d).toMatchObject({ id: String(message?.id) });
      expect(event.d).not.toHaveProperty('guild_id');
    }
    expect((await other.settled()).map(({ t }) => t)).toEqual([]);
  });

  it('I-20: go to all users who read the channel if the answer is public', async () => {
    const stranger = await createBot(server.app);
    await addMember(server.app, scene.guild.id, stranger.user);
    const [own, other] = [await connect(), await connect(stranger.token)];
    await invoke();
    const { d } = await own.event('INTERACTION_CREATE');
    await answer(scene, { id: BigInt(d.id), token: d.token });
    expect((await other.event('MESSAGE_CREATE')).d).toMatchObject({
      type: 20,
      content: 'hello',
      guild_id: String(scene.guild.id),
      webhook_id: String(scene.bot.id),
    });
  });
});

it('I-15: the gateway has 3 s by the clock, and a stopping server does not wait for it', async () => {
  const clock = new ManualClock();
  const own = await startServer({ clock });
  const there = await openScene(own);
  const of = await storeCommand(there);
  const sending = invokeCommand(callContext(own.app, there.owner.actor), {
    channelId: there.guild.channel.id,
    commandId: of,
    options: [],
  });
  await eventually(() => expect(own.app.db.reader.interaction.count()).resolves.toBe(1));
  let isOver = false;
  void sending.then(() => {
    isOver = true;
  });
  clock.advance(2_000);
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  await eventually(async () => {
    clock.advance(1_000);
    await new Promise(setImmediate);
    expect(isOver).toBe(true);
  });
  await own.stop();
});

/** Cuts the connection as a broken network does. Settles when the server has noticed. */
async function drop(client: GatewayClient): Promise<void> {
  client.socket.close(4_000);
  await client.closed;
}
