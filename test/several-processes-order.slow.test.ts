import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { GatewayIntentBits } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Frame, GatewayClient } from './harness/gateway-client.js';
import { type Line, layLine } from './harness/line.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  signUp,
} from './harness/people.js';
import { missingForOwnRedis, missingForSeveralProcesses, type OwnRedis, prepareRedis } from './harness/redis.js';
import { ask } from './harness/rest.js';
import { migratedDatabase, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';

const missing = (await missingForSeveralProcesses()) ?? missingForOwnRedis();

const CALLERS = 8;
const MESSAGES_PER_CALLER = 60;
const EDITS = 2;

/** Messages per caller of whose events Redis keeps too few: there are three or four for each, and it keeps 2,000. */
const TOO_MANY = 100;

/** Server replacements that a session gets after an outage. */
const MOST_GAPS = 5;

/** Below the interval that the gateway asks for. */
const HEARTBEAT_MS = 20_000;

describe.skipIf(missing)(
  needing(missing, 'the events of one channel that eight callers write through two processes'),
  () => {
    let database: Awaited<ReturnType<typeof migratedDatabase>>;
    let dataDir: string;
    let redis: OwnRedis;
    /** Between the second process and Redis. */
    let line: Line;
    let servers: TestServer[];
    let bot: MadeApplication;
    let guild: MadeGuild;
    let clients: GatewayClient[];
    const heartbeats: NodeJS.Timeout[] = [];

    beforeAll(async () => {
      database = await migratedDatabase();
      dataDir = await mkdtemp(join(tmpdir(), 'causeway-order-'));
      redis = await prepareRedis();
      await redis.start();
      line = await layLine(redis.url, 6379);
      const shared = { DATABASE_URL: database?.url ?? '', DATA_DIR: dataDir, RATE_LIMITS: 'off' };
      servers = await Promise.all([
        startServer({ env: { ...shared, REDIS_URL: redis.url } }),
        startServer({ env: { ...shared, REDIS_URL: line.url } }),
      ]);
      const ada = await signUp(servers[0] as TestServer, 'ada');
      bot = await createApplication(ada);
      guild = await createGuild(ada);
      await install(ada, bot, guild, { permissions: '8' });
      clients = await Promise.all(
        servers.map(async ({ origin }) => {
          const client = await GatewayClient.open(origin);
          await client.ready(bot.botToken, { intents: GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages });
          heartbeats.push(setInterval(() => client.send(1, client.sequence), HEARTBEAT_MS));
          return client;
        }),
      );
      // Both processes hear the server from here on.
      await write(servers[0] as TestServer, 'first');
      await Promise.all(clients.map((client) => client.event('MESSAGE_CREATE')));
    });
    afterAll(async () => {
      for (const heartbeat of heartbeats) clearInterval(heartbeat);
      for (const client of clients ?? []) client.socket.terminate();
      await Promise.all((servers ?? []).map((server) => server.stop()));
      line?.close();
      await redis?.stop();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    });

    const headers = () => ({ authorization: `Bot ${bot.botToken}` });
    const messagesPath = () => `/channels/${guild.textChannelId}/messages`;

    async function write(server: TestServer, content: string): Promise<string> {
      const { status, body } = await ask(server, 'POST', messagesPath(), { headers: headers(), json: { content } });
      expect(status).toBe(200);
      return body.id;
    }

    /** Sends, edits and deletes messages, each call through the other process than the one before. */
    async function writeMany(caller: number, last: Map<string, string>, count = MESSAGES_PER_CALLER): Promise<void> {
      let calls = caller;
      const next = () => servers[calls++ % 2] as TestServer;
      for (let n = 0; n < count; n += 1) {
        const id = await write(next(), `${caller}.${n}`);
        last.set(id, `${caller}.${n}`);
        for (let edit = 0; edit < EDITS; edit += 1) {
          const content = `${caller}.${n} edit ${edit}`;
          const path = `${messagesPath()}/${id}`;
          expect((await ask(next(), 'PATCH', path, { headers: headers(), json: { content } })).status).toBe(200);
          last.set(id, content);
        }
        if (n % 3 > 0) continue;
        expect((await ask(next(), 'DELETE', `${messagesPath()}/${id}`, { headers: headers() })).status).toBe(204);
        last.delete(id);
      }
    }

    /** Reads the newest messages with `after`, until `isOver`. @returns all that it ever saw */
    async function poll(server: TestServer, after: string, isOver: () => boolean): Promise<Set<string>> {
      const seen = new Set<string>();
      let newest = after;
      for (let isLast = false; ; ) {
        const path = `${messagesPath()}?limit=100&after=${newest}`;
        const { body } = await ask(server, 'GET', path, { headers: headers() });
        for (const { id } of body as { id: string }[]) {
          seen.add(id);
          if (BigInt(id) > BigInt(newest)) newest = id;
        }
        if (isLast) return seen;
        isLast = isOver();
      }
    }

    /**
     * Waits until a last message has arrived everywhere. One that is sent while a session is without the server does not.
     * @returns the events since the last call, by process
     */
    let read: number[] = [];
    async function settled(): Promise<Frame[][]> {
      const ends = new Set<string>();
      const isEnd = ({ t, d }: Frame) => t === 'MESSAGE_CREATE' && ends.has(d.id);
      await expect
        .poll(
          async () => {
            ends.add(await write(servers[0] as TestServer, 'the end'));
            await setTimeout(200);
            return clients.every(({ frames }) => frames.some(isEnd));
          },
          { timeout: 30_000, interval: 500 },
        )
        .toBe(true);
      const frames = clients.map(({ frames }, index) => frames.slice(read[index] ?? 0));
      read = clients.map(({ frames }) => frames.length);
      return frames.map((some) =>
        some.filter(({ t, d }) => /^(MESSAGE|GUILD)_/.test(t ?? '') && d.content !== 'the end'),
      );
    }

    const creationsOf = (frames: Frame[] = []) =>
      frames.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d.id as string);

    const gapsOf = (frames: Frame[] = []) => frames.filter(({ t, d }) => t === 'GUILD_DELETE' && d.unavailable).length;

    function expectIncreasing(ids: string[]): void {
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
    }

    /** @param last the contents that are left at the end, by id */
    function expectAll(frames: Frame[] = [], last: ReadonlyMap<string, string>, sent: number): void {
      const creations = creationsOf(frames);
      expectIncreasing(creations);
      expect(creations).toHaveLength(sent);
      const states = new Map<string, string | null>();
      for (const { t, d } of frames.filter(({ t }) => t?.startsWith('MESSAGE_'))) {
        if (t === 'MESSAGE_CREATE') states.set(d.id, d.content);
        else {
          expect(states.get(d.id), `${t} of ${d.id}`).toEqual(expect.any(String));
          states.set(d.id, t === 'MESSAGE_DELETE' ? null : d.content);
        }
      }
      const left = [...states].filter(([, content]) => content !== null);
      expect(new Map(left)).toEqual(last);
    }

    function writeAll(last: Map<string, string>, count = MESSAGES_PER_CALLER) {
      return Promise.all(Array.from({ length: CALLERS }, (_, caller) => writeMany(caller, last, count)));
    }

    async function gapsAtSecond(): Promise<number> {
      const text = await (await fetch(`${servers[1]?.origin}/metrics`)).text();
      return Number(/^causeway_stream_gaps_total (\d+)$/m.exec(text)?.[1]);
    }

    /** Cuts the second process off from Redis. */
    async function cutFor(ms: number): Promise<void> {
      line.cut();
      await setTimeout(ms);
      line.mend();
    }

    it('are the same in both, each after what it depends on, and a reader with `after` misses no message', async () => {
      await settled();
      const last = new Map<string, string>();
      const start = await write(servers[0] as TestServer, 'start');
      await settled();
      let isOver = false;
      const polls = servers.map((server) => poll(server, start, () => isOver));
      await writeAll(last);
      isOver = true;
      const [first, second] = await settled();
      for (const frames of [first, second]) expectAll(frames, last, CALLERS * MESSAGES_PER_CALLER);
      expect(creationsOf(second)).toEqual(creationsOf(first));
      for (const seen of await Promise.all(polls)) expect([...last.keys()].filter((id) => !seen.has(id))).toEqual([]);
    }, 120_000);

    it('are complete and in order in a process that had no Redis for five seconds', async () => {
      await settled();
      const last = new Map<string, string>();
      await Promise.all([writeAll(last), cutFor(5_000)]);
      const [first, second] = await settled();
      expectAll(second, last, CALLERS * MESSAGES_PER_CALLER);
      expect(gapsOf(second)).toBe(0);
      // The other one could not know whether the missing events would come.
      if (gapsOf(first) === 0) expectAll(first, last, CALLERS * MESSAGES_PER_CALLER);
      expectIncreasing(creationsOf(first));
    }, 120_000);

    it('are replaced by the server a few times at most if Redis keeps too few of them', async () => {
      await settled();
      await Promise.all([writeAll(new Map(), TOO_MANY), cutFor(5_000)]);
      for (const frames of await settled()) {
        expectIncreasing(creationsOf(frames));
        expect(gapsOf(frames)).toBeLessThanOrEqual(MOST_GAPS);
      }
    }, 120_000);

    it('are replaced by the server itself after Redis has lost its data', async () => {
      await settled();
      // This skips the gaps of the tests before.
      for (const client of clients) await client.settled();
      const before = await gapsAtSecond();
      await redis.stop();
      await write(servers[0] as TestServer, 'while it is away');
      await redis.start();
      for (const client of clients) {
        await client.next(({ t, d }) => t === 'GUILD_DELETE' && d.id === guild.id && d.unavailable);
        await client.next(({ t, d }) => t === 'GUILD_CREATE' && d.id === guild.id);
      }
      // The clients may have received a guild that fell behind in the test before.
      await expect.poll(gapsAtSecond, { timeout: 30_000 }).toBeGreaterThan(before);
    }, 60_000);
  },
);
