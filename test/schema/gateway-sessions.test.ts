import type { Client } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../../src/infra/streams/topics.js';
import { MAX_LIST } from '../../src/schema/lists.js';
import { ManualClock } from '../harness/clock.js';
import { ALL_INTENTS, GatewayClient } from '../harness/gateway-client.js';
import type { Loose } from '../harness/graphql.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { socketClient, subscribe } from '../harness/sockets.js';
import { statementsOf } from '../harness/statements.js';
import { until } from '../harness/until.js';

const SHOWN = 'botOnline gatewaySessions { id shardId shardCount intents connectedAt }';
const RESET = 'mutation ($i: ApplicationIdInput!) { resetBotToken(input: $i) { botToken } }';

const clock = new ManualClock();
let server: TestServer;
let ada: Person;
let bob: Person;
let bot: MadeApplication;
const sockets: GatewayClient[] = [];
const pages: Client[] = [];
beforeAll(async () => {
  server = await startServer({ clock });
  [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
});
afterAll(() => server.stop());
beforeEach(async () => {
  bot = await createApplication(ada);
  clock.advance(5_000);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.socket.terminate();
  for (const page of pages.splice(0)) await page.dispose();
});

async function open(): Promise<GatewayClient> {
  const socket = await GatewayClient.open(server.origin);
  sockets.push(socket);
  return socket;
}

async function connect(more: object = {}): Promise<{ socket: GatewayClient; sessionId: string }> {
  const socket = await open();
  const { d } = await socket.ready(bot.botToken, more);
  return { socket, sessionId: d.session_id };
}

async function seenBy(person: Person): Promise<Loose> {
  return (await person.graphql(`query ($id: ID!) { application(id: $id) { ${SHOWN} } }`, { id: bot.id })).application;
}

const shardsOf = ({ gatewaySessions }: Loose) =>
  gatewaySessions.map(({ shardId, shardCount }: Loose) => [shardId, shardCount]);

const NONE = { botOnline: false, gatewaySessions: [] };
const now = () => new Date(clock.now()).toISOString();

describe('the gateway sessions of an application', () => {
  it('show each connected shard with its intents and connection time', async () => {
    expect(await seenBy(ada)).toEqual(NONE);
    const { sessionId } = await connect();
    const first = { shardId: 0, shardCount: 1, intents: ALL_INTENTS, connectedAt: now() };
    clock.advance(5_000);
    await connect({ shard: [2, 3], intents: 0, presence: { status: 'invisible' } });
    const second = { shardId: 2, shardCount: 3, intents: 0, connectedAt: now() };
    const seen = await seenBy(ada);
    expect(seen).toMatchObject({ botOnline: true, gatewaySessions: [first, second] });
    expect(JSON.stringify(seen)).not.toContain(sessionId);
  });

  it('disappear on disconnect, and return with the same id on resume', async () => {
    const { socket, sessionId } = await connect({ shard: [1, 2] });
    const [before] = (await seenBy(ada)).gatewaySessions;
    await socket.close(4_000);
    await until(async () => !(await seenBy(ada)).botOnline);
    expect(await seenBy(ada)).toEqual(NONE);
    clock.advance(5_000);
    const again = await open();
    again.send(6, { token: bot.botToken, session_id: sessionId, seq: socket.sequence });
    await again.event('RESUMED');
    await until(async () => (await seenBy(ada)).botOnline);
    expect((await seenBy(ada)).gatewaySessions).toEqual([{ ...before, connectedAt: now() }]);
  });

  it('show larger shard numbers as 2^31 - 1', async () => {
    await connect({ shard: [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER] });
    expect(shardsOf(await seenBy(ada))).toEqual([[2 ** 31 - 1, 2 ** 31 - 1]]);
  });

  it('disappear when the bot token is reset', async () => {
    const { socket } = await connect();
    await ada.graphql(RESET, { i: { applicationId: bot.id } });
    expect((await socket.closed).code).toBe(4_004);
    await until(async () => !(await seenBy(ada)).botOnline);
    expect(await seenBy(ada)).toEqual(NONE);
  });

  it('are shown to users with a role; others see only whether the bot is online', async () => {
    await connect();
    await ada.graphql('mutation ($i: InviteTesterInput!) { inviteTester(input: $i) { tester { state } } }', {
      i: { applicationId: bot.id, userId: bob.id },
    });
    const { portalHome } = await bob.graphql(`{ portalHome { testerInvitations { application { ${SHOWN} } } } }`);
    expect(portalHome.testerInvitations[0].application).toEqual({ botOnline: true, gatewaySessions: [] });
  });

  it(`are listed up to ${MAX_LIST}, lowest shards first`, async () => {
    const { app } = server;
    const of = { userId: BigInt(bot.id), processId: app.live.id, status: 'online', activities: [], intents: 0 };
    const facts = { ...of, shardCount: 300, connectedAt: new Date(clock.now()) };
    const data = Array.from({ length: 300 }, (_, at) => ({
      ...facts,
      sessionId: `${bot.id} ${at}`,
      shardId: 299 - at,
    }));
    await app.db.writer.presence.createMany({ data });
    expect(shardsOf(await seenBy(ada))).toEqual(Array.from({ length: MAX_LIST }, (_, shard) => [shard, 300]));
  });

  it('take the same number of statements for many applications as for one', async () => {
    const eve = await signUp(server, 'eve');
    const own = [await createApplication(eve)];
    const asked = () => eve.graphql(`{ applications { ${SHOWN} } }`);
    await asked();
    const few = (await statementsOf(asked)).length;
    for (let more = 0; more < 5; more += 1) own.push(await createApplication(eve));
    await (await open()).ready(own[3]?.botToken ?? '');
    const statements = await statementsOf(async () => {
      const { applications } = await asked();
      expect(applications.map(({ botOnline }: Loose) => botOnline)).toEqual([false, false, false, true, false, false]);
    });
    expect(statements, statements.join('\n')).toHaveLength(few);
  });

  it('take no further statement when a session begins or ends', async () => {
    const written = async (work: () => Promise<unknown>) =>
      (await statementsOf(work)).filter((statement) => /^(INSERT|UPDATE|DELETE)/.test(statement)).map(tableOf);
    const socket = await open();
    expect(await written(() => socket.ready(bot.botToken))).toEqual(['Presence']);
    const ended = async () => {
      await socket.close();
      await until(async () => (await server.app.db.reader.presence.count({ where: { userId: BigInt(bot.id) } })) === 0);
    };
    expect(await written(ended)).toEqual(['Presence']);
  });
});

const tableOf = (statement: string) => /[`"](\w+)[`"](?![`".])/.exec(statement)?.[1];

describe('applicationChanged', () => {
  const CHANGES = `subscription ($id: ID!) { applicationChanged(applicationId: $id) { ${SHOWN} } }`;

  async function changes(): Promise<() => Promise<Loose>> {
    const page = socketClient(server, { token: ada.token });
    pages.push(page);
    const values = await subscribe(page, CHANGES, { id: bot.id });
    return async () => (await values.next()).data.applicationChanged;
  }

  function countTold(): () => number {
    let told = 0;
    server.app.bus.subscribe(topics.application(bot.id), ({ type }) => {
      if (type === 'BOT_SESSIONS_UPDATED') told += 1;
    });
    return () => told;
  }

  const stored = () => server.app.db.reader.presence.count({ where: { userId: BigInt(bot.id) } });

  it('sends an update when a session of the bot begins, and when it ends', async () => {
    const next = await changes();
    const { socket } = await connect();
    clock.advance(1_000);
    expect(await next()).toMatchObject({ botOnline: true, gatewaySessions: [{ shardId: 0 }] });
    await socket.close();
    await until(async () => (await stored()) === 0);
    await server.app.connections.settle();
    clock.advance(1_000);
    expect(await next()).toEqual(NONE);
  });

  it('sends one update for many shards, and none for their presence', async () => {
    const told = countTold();
    const next = await changes();
    const shards = await Promise.all(
      Array.from({ length: 40 }, (_, shard) => connect({ shard: [shard, 40], intents: 0 })),
    );
    expect(told()).toBe(0);
    clock.advance(1_000);
    expect(told()).toBe(1);
    expect((await next()).gatewaySessions).toHaveLength(40);

    for (const { socket } of shards) socket.send(3, { status: 'idle', activities: [], since: null, afk: false });
    await Promise.all(shards.map(({ socket }) => socket.settled()));
    await server.app.connections.settle();
    clock.advance(1_000);
    expect(told()).toBe(1);

    await Promise.all(shards.map(({ socket }) => socket.close()));
    await until(async () => (await stored()) === 0);
    await server.app.connections.settle();
    clock.advance(1_000);
    expect(told()).toBe(2);
    expect(await next()).toEqual(NONE);
  });
});
