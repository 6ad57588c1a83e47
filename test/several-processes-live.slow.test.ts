import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { topics } from '../src/infra/streams/topics.js';
import { ManualClock } from './harness/clock.js';
import { GatewayClient } from './harness/gateway-client.js';
import { askGraphql } from './harness/graphql.js';
import { listenTo } from './harness/live.js';
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
import { migratedDatabase, migratedFolder, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';
import { until } from './harness/until.js';

const missing = await missingForSeveralProcesses();
const JOIN = 'mutation ($i: ChannelIdInput!) { joinVoice(input: $i) { voiceState } }';

/** Lets the heartbeat of a process expire. */
const expire = ({ app }: TestServer, id: string) =>
  app.db.writer.liveProcess.update({ where: { id }, data: { until: new Date(Date.now() - 60_000) } });

describe.skipIf(missing)(needing(missing, 'presences while processes share a database'), () => {
  let database: { url: string; drop(): Promise<void> } | null;
  let dataDir: string;
  let shared: Record<string, string>;
  let survivor: TestServer;
  let ada: Person;
  let guild: MadeGuild;
  let bot: MadeApplication;
  const clock = new ManualClock();

  beforeAll(async () => {
    database = await migratedDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-live-'));
    shared = { DATABASE_URL: database?.url ?? '', REDIS_URL, DATA_DIR: dataDir };
    survivor = await startServer({ env: shared, clock });
    ada = await signUp(survivor, 'ada');
    guild = await createGuild(ada);
    bot = await createApplication(ada);
    await install(ada, bot, guild);
  });
  afterAll(async () => {
    await survivor?.stop();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const others = async () =>
    (await survivor.app.db.reader.liveProcess.findMany({ where: { id: { not: survivor.app.live.id } } })).map(
      ({ id }) => id,
    );

  /** Connects a bot, and a user in voice, to another process. */
  async function connectTo(origin: string): Promise<void> {
    const client = await GatewayClient.open(origin);
    await client.ready(bot.botToken, { presence: { status: 'idle' } });
    const { errors } = await askGraphql(
      { origin },
      JOIN,
      { i: { channelId: guild.voiceChannelId } },
      {
        authorization: `Bearer ${ada.token}`,
      },
    );
    expect(errors).toEqual([]);
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'G-58 ends with the process that is ended by %s, and is published once',
    async (signal) => {
      const told = listenTo(survivor, guild.id);
      const instance = await startInstance(shared);
      await connectTo(instance.origin);
      expect((await told.next(bot.id, 'PRESENCE_UPDATE')).status).toBe('idle');
      expect((await told.next(ada.id, 'VOICE_STATE_UPDATE')).channel_id).toBe(guild.voiceChannelId);
      const [process = ''] = await others();
      await instance.end(signal);
      if (signal === 'SIGKILL') {
        await expire(survivor, process);
        expect(await survivor.app.guilds.presences(BigInt(guild.id), [BigInt(bot.id)])).toEqual([]);
        clock.advance(10_000);
      }
      expect((await told.next(ada.id, 'VOICE_STATE_UPDATE')).channel_id).toBeNull();
      // The bot's session has moved, and the bot may still resume.
      if (signal === 'SIGTERM') clock.advance(10_000);
      expect((await told.next(bot.id, 'PRESENCE_UPDATE')).status).toBe('offline');
      await expect.poll(others).toEqual([]);
    },
  );

  const sessions = async (): Promise<number[]> => {
    const query = 'query ($id: ID!) { application(id: $id) { botOnline gatewaySessions { shardId } } }';
    const { application } = await ada.graphql(query, { id: bot.id });
    expect(application.botOnline).toBe(application.gatewaySessions.length > 0);
    return application.gatewaySessions.map(({ shardId }: { shardId: number }) => shardId);
  };

  function countTold({ id }: MadeApplication): () => number {
    let told = 0;
    survivor.app.bus.subscribe(topics.application(id), ({ type }) => {
      if (type === 'BOT_SESSIONS_UPDATED') told += 1;
    });
    return () => told;
  }

  it('sessions of a bot are listed for all processes; those of a killed one end once it counts as dead, with an event', async () => {
    const instance = await startInstance(shared);
    const [here, there] = [await GatewayClient.open(survivor.origin), await GatewayClient.open(instance.origin)];
    await here.ready(bot.botToken, { shard: [0, 2] });
    clock.advance(1_000);
    const told = countTold(bot);
    await there.ready(bot.botToken, { shard: [1, 2] });
    expect(await sessions()).toEqual([0, 1]);
    await until(() => told() > 0);
    await here.close();
    await expect.poll(sessions).toEqual([1]);
    await survivor.app.connections.settle();
    clock.advance(1_000);
    const [process = ''] = await others();
    await instance.end('SIGKILL');
    expect(await sessions()).toEqual([1]);
    await expire(survivor, process);
    expect(await sessions()).toEqual([]);
    const before = told();
    clock.advance(10_000);
    await until(() => told() > before);
    await expect.poll(others).toEqual([]);
  });

  it('sessions of a bot end in all processes when its token is replaced, with an event', async () => {
    const told = countTold(bot);
    const instance = await startInstance(shared);
    const there = await GatewayClient.open(instance.origin);
    await there.ready(bot.botToken);
    await until(() => told() > 0);
    const before = told();
    const { resetBotToken } = await ada.graphql(
      'mutation ($i: ApplicationIdInput!) { resetBotToken(input: $i) { botToken } }',
      { i: { applicationId: bot.id } },
    );
    bot = { ...bot, ...resetBotToken };
    expect((await there.closed).code).toBe(4_004);
    await until(() => told() > before);
    expect(await sessions()).toEqual([]);
    await instance.end('SIGTERM');
  });

  it('G-58 ends once, even if several processes notice at once that a process is dead', async () => {
    const { app } = survivor;
    const process = { id: 'gone', until: new Date(0) };
    await app.db.writer.liveProcess.create({ data: process });
    const of = { userId: BigInt(ada.id), processId: process.id };
    await app.db.writer.presence.create({ data: { ...of, sessionId: 'gone', status: 'online', activities: [] } });
    const seat = { guildId: BigInt(guild.id), channelId: BigInt(guild.voiceChannelId), sessionId: 'gone' };
    await app.db.writer.voiceState.create({ data: { ...of, ...seat } });
    const told = listenTo(survivor, guild.id);
    const second = await startServer({ env: shared, clock });
    clock.advance(10_000);
    expect((await told.next(ada.id, 'VOICE_STATE_UPDATE')).channel_id).toBeNull();
    expect((await told.next(ada.id, 'PRESENCE_UPDATE')).status).toBe('offline');
    await expect.poll(others).toEqual([second.app.live.id]);
    await second.stop();
    expect(told.rest()).toEqual([]);
  });

  it('G-58 is restored by a process that was wrongly taken for dead', async () => {
    const client = await GatewayClient.open(survivor.origin);
    await client.ready(bot.botToken, { presence: { status: 'dnd' } });
    const before = survivor.app.live.id;
    await expire(survivor, before);
    clock.advance(10_000);
    await expect.poll(() => survivor.app.live.id).not.toBe(before);
    const rows = () => survivor.app.db.reader.presence.findMany({ where: { userId: BigInt(bot.id) } });
    await expect.poll(rows).toMatchObject([{ status: 'dnd', processId: survivor.app.live.id }]);
    await expect.poll(others).toEqual([]);
    await client.close();
  });
});

describe('a single process', () => {
  it('G-58 begins without presences, however the one before it ended', async () => {
    const DATA_DIR = await migratedFolder();
    const database = await migratedDatabase();
    const env = { DATA_DIR, ...(database ? { DATABASE_URL: database.url } : {}) };
    const first = await startInstance(env);
    const ada = await signUp(first, 'ada');
    const guild = await createGuild(ada);
    await ada.graphql(JOIN, { i: { channelId: guild.voiceChannelId } });
    await first.end('SIGKILL');
    const second = await startServer({ env });
    const { db, live } = second.app;
    expect(await db.reader.liveProcess.findMany({ select: { id: true } })).toEqual([{ id: live.id }]);
    expect([await db.reader.voiceState.count(), await db.reader.presence.count()]).toEqual([0, 0]);
    await second.stop();
    await database?.drop();
    await rm(DATA_DIR, { recursive: true, force: true });
  });
});
