import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayIntentBits } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { topics } from '../src/infra/streams/topics.js';
import { messageOfEvent } from './harness/bus.js';
import { ManualClock } from './harness/clock.js';
import { GatewayClient } from './harness/gateway-client.js';
import { askGraphql } from './harness/graphql.js';
import { type Line, layLine } from './harness/line.js';
import { readableLog, readLines } from './harness/log.js';
import { createApplication, createGuild, install, sendMessage, signUp } from './harness/people.js';
import { missingForOwnRedis, missingForSeveralProcesses, type OwnRedis, prepareRedis } from './harness/redis.js';
import { ask } from './harness/rest.js';
import { migratedDatabase, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';

const missing = (await missingForSeveralProcesses()) ?? missingForOwnRedis();

const aboutRedis = (lines: string[]) => lines.filter((line) => readLines([line])[0]?.msg.includes('Redis'));

describe.skipIf(missing)(needing(missing, 'processes whose Redis stops and starts again'), () => {
  let database: Awaited<ReturnType<typeof migratedDatabase>>;
  let dataDir: string;
  let redis: OwnRedis;
  let line: Line;
  const servers: TestServer[] = [];

  beforeAll(async () => {
    database = await migratedDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-redis-away-'));
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    redis = await prepareRedis();
    line = await layLine(redis.url, 6379);
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    line.close();
    await redis.stop();
  });

  async function start(options: Parameters<typeof startServer>[0] = {}, url = redis.url): Promise<TestServer> {
    const env = { DATABASE_URL: database?.url ?? '', DATA_DIR: dataDir, REDIS_URL: url, ...options.env };
    const server = await startServer({ ...options, env });
    servers.push(server);
    return server;
  }

  let people = 0;
  const newName = () => `person${++people}`;
  const isWhole = (server: TestServer) => () => server.app.degraded().length === 0;
  const redisUp = async ({ origin }: TestServer) =>
    /^causeway_redis_up (\d)$/m.exec(await (await fetch(`${origin}/metrics`)).text())?.[1];
  async function hears(from: TestServer, to: TestServer, topic: string): Promise<void> {
    let heard = false;
    const subscription = to.app.bus.subscribe(topic, () => {
      heard = true;
    });
    await expect
      .poll(
        () => {
          from.app.bus.publish(topic, messageOfEvent(from.app, { type: 'TEAM_UPDATED', teamId: 1n }));
          return heard;
        },
        { timeout: 20_000 },
      )
      .toBe(true);
    subscription.close();
  }

  it('start without it, serve, log it once, and connect when it comes', async () => {
    const { log, lines } = readableLog('info');
    const first = await start({ log });
    const second = await start();
    expect(first.app.degraded()).toEqual(['redis']);
    expect(await redisUp(first)).toBe('0');
    const ada = await signUp(first, newName());
    const bot = await createApplication(ada);
    const guild = await createGuild(ada);
    await install(ada, bot, guild);
    const client = await GatewayClient.open(second.origin);
    // A session for direct messages would end with 4902: the bot's stream may have a gap.
    const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.MessageContent;
    await client.ready(bot.botToken, { intents });
    await redis.start();
    await expect.poll(isWhole(first), { timeout: 20_000 }).toBe(true);
    await expect.poll(isWhole(second), { timeout: 20_000 }).toBe(true);
    expect(await redisUp(first)).toBe('1');
    await hears(first, second, 'guild:1');
    await sendMessage(ada, guild.textChannelId, 'joined');
    expect((await client.event('MESSAGE_CREATE')).d.content).toBe('joined');
    await client.close();
    expect(readLines(aboutRedis(lines)).map(({ msg }) => msg.split(/[:;]/, 1)[0])).toEqual([
      'Redis is not available',
      'Redis is available again',
    ]);
  });

  it('continue when it restarts empty, with their workers and with shared rate limits', async () => {
    await redis.start();
    const { log, lines } = readableLog('info');
    const [first, second] = [
      await start({ log, env: { RATE_LIMITS: 'on' } }),
      await start({ env: { RATE_LIMITS: 'on' } }),
    ];
    const workerOf = ({ app }: TestServer) => (app.nextId() >> 12n) & 1023n;
    const workers = [workerOf(first), workerOf(second)];
    const limit = { name: 'restart', points: 5, seconds: 600 };
    const ada = await signUp(first, newName());
    await redis.stop();
    await expect.poll(isWhole(first), { timeout: 20_000 }).toBe(false);
    for (const server of [first, second]) {
      expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
      expect((await server.app.limits.take(limit, 'ada')).allowed).toBe(true);
    }
    await createApplication(ada);
    await redis.start();
    await expect.poll(isWhole(first), { timeout: 20_000 }).toBe(true);
    await expect.poll(isWhole(second), { timeout: 20_000 }).toBe(true);
    await hears(first, second, 'guild:1');
    expect([workerOf(first), workerOf(second)]).toEqual(workers);
    expect((await first.app.limits.take(limit, 'ada')).remaining).toBe(4);
    expect((await second.app.limits.take(limit, 'ada')).remaining).toBe(3);
    expect(aboutRedis(lines)).toHaveLength(2);
  });

  it.each(['cut', 'freeze'] as const)('serve uncached requests while it is gone (%s)', async (fault) => {
    await redis.start();
    const first = await start({ env: { RATE_LIMITS: 'on' } });
    const second = await start({ env: { RATE_LIMITS: 'on' } }, line.url);
    const ada = await signUp(first, newName());
    const bot = await createApplication(ada);
    const guild = await createGuild(ada);
    await install(ada, bot, guild);
    line[fault]();
    const headers = { authorization: `Bot ${bot.botToken}` };
    const sent = await ask(second, 'POST', `/channels/${guild.textChannelId}/messages`, {
      headers,
      json: { content: 'hi' },
    });
    expect(sent.status).toBe(200);
    const me = await askGraphql(second, '{ me { username } }', {}, { authorization: `Bearer ${ada.token}` });
    expect(me.data.me.username).toBe(ada.name);
    const client = await GatewayClient.open(second.origin);
    await client.ready(bot.botToken);
    await expect.poll(() => second.app.degraded(), { timeout: 20_000 }).toEqual(['redis']);
    await signUp(second, newName());
    await client.close();
  });

  it.each(['cut', 'freeze'] as const)('start and stop while it is gone (%s)', async (fault) => {
    await redis.start();
    line[fault]();
    const server = await start({}, line.url);
    expect(server.app.degraded()).toEqual(['redis']);
    await server.stop();
  });

  it('notice a frozen Redis without any requests', async () => {
    await redis.start();
    const server = await start({}, line.url);
    await server.app.bus.subscribe(topics.sessions, () => {}).ready;
    line.freeze();
    await expect.poll(() => server.app.degraded(), { timeout: 20_000 }).toEqual(['redis']);
    line.mend();
    await expect.poll(() => server.app.degraded(), { timeout: 20_000 }).toEqual([]);
  });

  it('get the events of a process that was cut off as soon as it is back', async () => {
    await redis.start();
    const [cutOff, other] = [await start({}, line.url), await start()];
    const topic = topics.application(42n);
    const types: string[] = [];
    const subscription = other.app.bus.subscribe(topic, ({ type }) => types.push(type));
    await subscription.ready;
    line.cut();
    await expect.poll(isWhole(cutOff), { timeout: 20_000 }).toBe(false);
    cutOff.app.publish({ type: 'BOT_TOKEN_RESET', applicationId: 42n });
    line.mend();
    await expect.poll(() => types, { timeout: 20_000 }).toEqual(['BOT_TOKEN_RESET']);
    subscription.close();
  });

  it('refuse a bot token within a minute that a cut-off process has reset, and end its sessions', async () => {
    await redis.start();
    const clock = new ManualClock();
    const [cutOff, other] = [await start({}, line.url), await start({ clock })];
    const ada = await signUp(cutOff, newName());
    const bot = await createApplication(ada);
    const me = () => ask(other, 'GET', '/users/@me', { headers: { authorization: `Bot ${bot.botToken}` } });
    const client = await GatewayClient.open(other.origin);
    await client.ready(bot.botToken);
    expect((await me()).status).toBe(200);
    line.cut();
    await ada.graphql('mutation ($i: ApplicationIdInput!) { resetBotToken(input: $i) { botToken } }', {
      i: { applicationId: bot.id },
    });
    clock.advance(30_000);
    expect((await client.closed).code).toBe(4004);
    clock.advance(30_000);
    expect((await me()).status).toBe(401);
  });

  it('refuse with 503 whatever needs an id while no worker is available, and continue when one is free', async () => {
    await redis.start();
    const clock = new ManualClock();
    const first = await start();
    const second = await start({ clock });
    const ada = await signUp(first, newName());
    const bot = await createApplication(ada);
    const guild = await createGuild(ada);
    await install(ada, bot, guild);
    const headers = { authorization: `Bot ${bot.botToken}` };
    const send = () =>
      ask(second, 'POST', `/channels/${guild.textChannelId}/messages`, { headers, json: { content: 'hi' } });
    expect((await send()).status).toBe(200);
    const taken = { owner: 'others', until: new Date(Date.now() + 3_600_000) };
    await first.app.db.writer.worker.updateMany({ data: taken });
    const after = vi.spyOn(clock, 'after');
    clock.advance(15_000);
    await expect.poll(() => second.app.degraded(), { timeout: 20_000 }).toEqual(['snowflake-worker']);
    const refused = await send();
    expect([refused.status, refused.body.code]).toEqual([503, 130_000]);
    const account = { name: newName(), email: 'late@people.example', password: 'long enough to be taken' };
    const signUpAnswer = await fetch(`${second.origin}/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    expect(signUpAnswer.status).toBe(503);
    expect((await ask(second, 'GET', '/users/@me', { headers })).status).toBe(200);
    await first.app.db.writer.worker.updateMany({ where: { number: { gt: 200 } }, data: { until: new Date(0) } });
    // The next attempt is due two seconds after the last failure.
    const hasFailed = () => after.mock.calls.some(([ms]) => ms === 2_000);
    await expect.poll(hasFailed, { timeout: 20_000 }).toBe(true);
    clock.advance(2_000);
    await expect.poll(() => second.app.degraded(), { timeout: 20_000 }).toEqual([]);
    expect((await send()).status).toBe(200);
  });
});

const missingAlone = missingForOwnRedis();

describe.skipIf(missingAlone)(needing(missingAlone, 'a process alone whose Redis comes late'), () => {
  let redis: OwnRedis;
  beforeAll(async () => {
    redis = await prepareRedis();
  });
  afterAll(() => redis.stop());

  it('continues on either database, also while Redis refuses it, and keeps its password out of the log', async () => {
    const url = redis.url.replace('//', '//:no-such-password@');
    const { log, lines } = readableLog('info');
    const server = await startServer({ log, env: { REDIS_URL: url } });
    expect(server.app.degraded()).toEqual(['redis']);
    await redis.start('--requirepass', 'another password');
    await expect(startServer({ env: { REDIS_URL: url } })).rejects.toThrow(
      /^the Redis server of REDIS_URL .* WRONGPASS/,
    );
    await signUp(server, 'ada');
    expect(server.app.degraded()).toEqual(['redis']);
    await redis.stop();
    await redis.start('--requirepass', 'no-such-password');
    await expect.poll(() => server.app.degraded(), { timeout: 20_000 }).toEqual([]);
    expect(readLines(aboutRedis(lines)).map(({ msg }) => msg.split(/[:;]/, 1)[0])).toEqual([
      'Redis is not available',
      'Redis is available again',
    ]);
    expect(lines.join()).not.toContain('no-such-password');
    await server.stop();
  });
});
