import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, Events, GatewayIntentBits, GatewayOpcodes } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invokeCommand } from '../src/domain/interactions/index.js';
import { putCommand } from './harness/command-rows.js';
import { startEndpoint, type TestEndpoint } from './harness/endpoint.js';
import { failStatements } from './harness/faults.js';
import { GatewayClient } from './harness/gateway-client.js';
import { type Line, layLine } from './harness/line.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  sendMessage,
} from './harness/people.js';
import { freePort } from './harness/ports.js';
import { type RunningInstance, startInstance } from './harness/process.js';
import { missingPrometheus, type Prometheus, startPrometheus } from './harness/prometheus.js';
import { layRedisLine, missingForSeveralProcesses } from './harness/redis.js';
import { formOf } from './harness/rest.js';
import { type BoxOfCloud, startBoxOn, statusOf, untilBox } from './harness/self-hosted.js';
import { migratedDatabase, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';
import { missingForMount, mountSmallDisk, type SmallDisk } from './harness/small-disk.js';
import { until } from './harness/until.js';
import { callOf, userOf } from './harness/world.js';

const EXAMPLES = resolve(import.meta.dirname, '../examples');

const missing = missingPrometheus ?? (await missingForSeveralProcesses()) ?? missingForMount();

/** They depend on the load of this machine, so they may fire without a fault. */
const OF_MACHINE = ['CausewayDatabaseSlow', 'CausewaySlow', 'CausewayStandsStill'];

interface Fault {
  fault: string;
  alerts: string[];
  provoke(): unknown;
  /** Repeated until the alerts fire. */
  use?(): unknown;
  mend?(): unknown;
}

// One instance for all tests: two processes, a box and a Prometheus take 15 s to start and half a minute to observe.
describe.skipIf(missing)(needing(missing, 'Prometheus'), () => {
  let database: Awaited<ReturnType<typeof migratedDatabase>>;
  let dataDir: string;
  let disk: SmallDisk;
  let databaseLine: Line;
  let redisLine: Line;
  let cloudLine: Line;
  /** A child process, which a fault ends. */
  let other: RunningInstance;
  let otherOrigin: string;
  let server: TestServer;
  let box: BoxOfCloud;
  let endpoint: TestEndpoint;
  let prometheus: Prometheus;
  let client: Client;
  let bot: MadeApplication;
  let guild: MadeGuild;
  let boxGuild: MadeGuild;
  let invoke: () => Promise<unknown>;

  beforeAll(async () => {
    database = await migratedDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-monitored-'));
    disk = mountSmallDisk();
    const [port, otherPort] = [await freePort(), await freePort()];
    const origin = `http://localhost:${port}`;
    otherOrigin = `http://localhost:${otherPort}`;
    [databaseLine, redisLine, cloudLine] = await Promise.all([
      layLine(database?.url ?? '', 5432),
      layRedisLine(),
      layLine(origin, port),
    ]);
    const shared = {
      DATA_DIR: dataDir,
      PUBLIC_URL: new URL(cloudLine.url).origin,
      GATEWAY_PUBLIC_URL: origin.replace('http', 'ws'),
      ALLOW_PRIVATE_ENDPOINTS: 'on',
    };
    server = await startServer({
      jobs: true,
      env: { ...shared, PORT: String(port), DATABASE_URL: databaseLine.url, REDIS_URL: redisLine.url },
    });
    server.origin = origin;
    other = await startInstance({
      ...shared,
      PORT: String(otherPort),
      DATABASE_URL: database?.url ?? '',
      REDIS_URL: redisLine.url,
    });
    box = await startBoxOn(server, { cloudUrl: shared.PUBLIC_URL, dataDir: disk.folder });
    await populate();
    prometheus = await startPrometheus(
      [server.origin, otherOrigin, box.box.origin],
      (await readFile(join(EXAMPLES, 'prometheus/alerts.yml'), 'utf8')).replaceAll(/for: \w+/g, 'for: 1s'),
    );
  }, 180_000);

  async function populate(): Promise<void> {
    const { app } = server;
    const { owner } = box;
    boxGuild = await box.makeGuild();
    bot = await createApplication(owner);
    guild = await createGuild(owner);
    for (const place of [guild, boxGuild]) await install(owner, bot, place, { permissions: '8' });
    const called = await createApplication(owner, 'Called over HTTP');
    await install(owner, called, guild, { scopes: ['bot', 'applications.commands'] });
    endpoint = await startEndpoint({ publicKey: called.publicKey });
    const id = BigInt(called.id);
    await app.db.writer.application.update({ where: { id }, data: { interactionsEndpointUrl: endpoint.url } });
    const { id: commandId } = await putCommand(app, id);
    const call = callOf(app, await userOf(app, owner));
    invoke = () => invokeCommand(call, { channelId: BigInt(guild.textChannelId), commandId, options: [] });
    client = new Client({
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
      rest: { api: `${server.origin}/api` },
    });
    const ready = once(client, Events.ClientReady);
    await client.login(bot.botToken);
    await ready;
  }

  afterAll(async () => {
    await prometheus?.stop();
    await client?.destroy();
    await box?.stop();
    await Promise.all([
      server?.stop(),
      other && (other.process.exitCode ?? other.process.signalCode ?? other.end('SIGKILL')),
      endpoint?.close(),
    ]);
    for (const line of [databaseLine, redisLine, cloudLine]) line?.close();
    disk?.remove();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const get = (path: string, at = server.origin) => fetch(at + path);
  const asBot = (method: string, path: string, body: BodyInit | null = null, type?: string) =>
    fetch(`${server.origin}/api/v10${path}`, {
      method,
      body,
      headers: { authorization: `Bot ${bot.botToken}`, ...(type ? { 'content-type': type } : {}) },
    });
  const messagesOf = ({ textChannelId }: MadeGuild) => `/channels/${textChannelId}/messages`;
  const postTo = (place: MadeGuild) => asBot('POST', messagesOf(place), '{"content":"hello"}', 'application/json');
  const requestMail = () =>
    fetch(`${server.origin}/auth/request-password-reset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: box.owner.email }),
    });

  /** Uses every part of the platform. */
  async function load(): Promise<void> {
    const upload = formOf({ content: 'with a file' }, { name: 'files[0]', content: 'text', filename: 'a.txt' });
    const posted = await asBot('POST', messagesOf(guild), upload);
    const { attachments } = (await posted.json()) as { attachments: [{ url: string }] };
    const answers = await Promise.all([
      get(new URL(attachments[0].url).pathname + new URL(attachments[0].url).search),
      asBot('GET', '/users/@me'),
      get('/portal/applications'),
      postTo(boxGuild),
      requestMail(),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await asBot('GET', '/no/such/route')).status).toBe(404);
    await Promise.all([sendMessage(box.owner, guild.textChannelId, 'hello'), invoke()]);
    if (other.process.exitCode === null) await get('/portal/applications', otherOrigin);
    const unknown = await GatewayClient.open(server.origin);
    unknown.identify('unknown');
    expect((await unknown.closed).code).toBe(4004);
  }

  const firing = async (names: string[]) => (await prometheus.firing()).filter((name) => names.includes(name));

  it('fires no alert while nothing is wrong', async () => {
    for (let round = 0; round < 4; round += 1) {
      await load();
      await prometheus.nextScrape();
    }
    expect((await prometheus.rules()).filter(({ health }) => health !== 'ok')).toEqual([]);
    expect((await prometheus.firing()).filter((name) => !OF_MACHINE.includes(name))).toEqual([]);
  });

  const twoHoursAgo = () => new Date(Date.now() - 2 * 3_600_000);

  const faults: Fault[] = [
    {
      fault: 'an interactions endpoint fails',
      alerts: ['CausewayEndpointsFail'],
      provoke: () => endpoint.mode('error'),
      use: () => Promise.all([invoke(), invoke(), invoke()]),
      mend: () => endpoint.mode('good'),
    },
    {
      fault: 'the store of mails is gone',
      alerts: ['CausewayMailsFail'],
      async provoke() {
        await rm(join(dataDir, 'outbox'), { recursive: true });
        await writeFile(join(dataDir, 'outbox'), '');
      },
      use: requestMail,
    },
    {
      fault: 'statements are invalid',
      alerts: ['CausewayFails'],
      provoke: () => failStatements(/^SELECT .*FROM "public"\."Message"/),
      use: async () => expect((await asBot('GET', messagesOf(guild))).status).toBe(500),
    },
    {
      fault: 'jobs fail, or are of a newer version',
      alerts: ['CausewayJobsDead', 'CausewayJobsLate'],
      async provoke() {
        const { db, nextId } = server.app;
        const job = { kind: 'of a newer version', payload: {} };
        await db.writer.job.create({ data: { ...job, id: nextId(), dueAt: twoHoursAgo() } });
        await db.writer.job.create({ data: { ...job, id: nextId(), diedAt: new Date() } });
      },
    },
    {
      fault: 'many bots lose their network',
      alerts: ['CausewayBotsDisconnect'],
      async provoke() {
        const clients = await Promise.all(Array.from({ length: 50 }, () => GatewayClient.open(server.origin)));
        await Promise.all(clients.map((one) => one.ready(bot.botToken)));
        for (const { socket } of clients) socket.terminate();
      },
    },
    {
      fault: 'the event loop is blocked',
      alerts: ['CausewayStandsStill'],
      provoke() {
        const end = performance.now() + 400;
        while (performance.now() < end);
      },
    },
    {
      fault: 'the database stops for a moment',
      alerts: ['CausewayDatabaseSlow', 'CausewaySlow'],
      provoke: () => {},
      async use() {
        databaseLine.freeze();
        const answers = Promise.all(Array.from({ length: 100 }, () => asBot('GET', messagesOf(guild))));
        // The duration of the fault.
        await setTimeout(400);
        databaseLine.mend();
        await answers;
      },
    },
    {
      fault: 'the disk of a box is full',
      alerts: ['CausewayDiskLow'],
      provoke: () => disk.fill(),
      mend: () => disk.empty(),
    },
    {
      fault: 'a box is offline',
      alerts: ['CausewayBoxOffline', 'CausewayBoxesAway', 'CausewayDegraded', 'CausewayUnavailable'],
      async provoke() {
        cloudLine.cut();
        const where = { id: BigInt(box.boxId), holderId: null };
        const { box: boxes } = server.app.db.writer;
        await until(async () => (await boxes.updateMany({ where, data: { lastSeenAt: twoHoursAgo() } })).count > 0);
      },
      use: async () => expect((await postTo(boxGuild)).status).toBe(503),
      async mend() {
        cloudLine.mend();
        await untilBox(server, box.boxId, async () => (await statusOf(box.owner, box.boxId)) === 'CONNECTED');
      },
    },
    {
      fault: 'Redis is away',
      alerts: ['CausewayWithoutRedis'],
      provoke: () => redisLine.cut(),
      async mend() {
        redisLine.mend();
        await until(() => !server.app.degraded().includes('redis'));
      },
    },
    {
      fault: 'the database is away',
      alerts: ['CausewayNotReady', 'CausewayWithoutDatabase'],
      provoke: () => databaseLine.cut(),
      use: () => asBot('GET', messagesOf(guild)),
      async mend() {
        databaseLine.mend();
        await until(async () => (await get('/readyz')).ok);
      },
    },
    {
      fault: 'a process stops',
      alerts: ['CausewayDown'],
      async provoke() {
        const leaving = await GatewayClient.open(otherOrigin);
        const { d: session } = await leaving.ready(bot.botToken);
        const ended = other.end('SIGTERM');
        await leaving.op(GatewayOpcodes.Reconnect);
        const resuming = await GatewayClient.open(server.origin);
        const { session_id } = session;
        resuming.send(GatewayOpcodes.Resume, { token: bot.botToken, session_id, seq: leaving.sequence });
        await resuming.event('RESUMED');
        await Promise.all([leaving.close(), resuming.close(), ended]);
      },
    },
  ];

  it.each(faults.map((fault) => [fault.fault, fault] as const))(
    'fires its alerts if %s',
    async (_fault, { alerts, provoke, use, mend }) => {
      const expected = alerts.filter((name) => !OF_MACHINE.includes(name));
      expect(await firing(expected)).toEqual([]);
      await provoke();
      await until(async () => {
        await use?.();
        return (await firing(alerts)).length === alerts.length;
      });
      await mend?.();
    },
  );

  it('has a fault for each alert', async () => {
    const names = (await prometheus.rules()).map(({ name }) => name);
    expect(faults.flatMap(({ alerts }) => alerts).sort()).toEqual(names.sort());
  });

  it('has a number for each query of the dashboards', async () => {
    await load();
    await prometheus.nextScrape();
    const empty: string[] = [];
    for (const file of await readdir(join(EXAMPLES, 'grafana'))) {
      const text = await readFile(join(EXAMPLES, 'grafana', file), 'utf8');
      const { panels } = JSON.parse(text) as { panels: { title: string; targets?: { expr: string }[] }[] };
      for (const { title, targets = [] } of panels) {
        for (const { expr } of targets) {
          const asked = expr
            .replaceAll('$job', 'causeway')
            .replaceAll('$instance', '.*')
            .replaceAll('$__rate_interval', '5m');
          if (!(await prometheus.query(asked)).some(Number.isFinite)) empty.push(`${file}: ${title}: ${expr}`);
        }
      }
    }
    expect(empty).toEqual([]);
  });
});
