import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartError } from '../src/config.js';
import { ManualClock } from './harness/clock.js';
import { endLockHolders, type ThrowAwayDatabase } from './harness/databases.js';
import { readableLog, readLines } from './harness/log.js';
import { startInstance } from './harness/process.js';
import { missingForSeveralProcesses, REDIS_URL } from './harness/redis.js';
import { migratedDatabase, startServer, type TestOptions, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';
import { until } from './harness/until.js';

const OLD = 'old-'.repeat(8);
const NEW = 'new-'.repeat(8);

const missing = await missingForSeveralProcesses();

describe.skipIf(missing)(needing(missing, 'several processes on one PostgreSQL'), () => {
  let database: ThrowAwayDatabase | null;
  let started: TestServer[];
  beforeEach(async () => {
    database = await migratedDatabase();
    started = [];
  });
  afterEach(async () => {
    await Promise.all(started.map((server) => server.stop()));
    await database?.drop();
  });

  const environment = (more: Record<string, string> = {}) => ({ DATABASE_URL: database?.url ?? '', ...more });
  const shared = (keys?: string) => ({ REDIS_URL, ...(keys !== undefined && { SECRET_KEYS: keys }) });
  const start = async (more?: Record<string, string>, overrides: Pick<TestOptions, 'clock' | 'log'> = {}) => {
    const server = await startServer({ env: environment(more), ...overrides });
    started.push(server);
    return server;
  };
  /** `ready`, or the reason of the refusal. */
  const outcome = (more?: Record<string, string>) =>
    start(more).then(
      () => 'ready',
      (error: Error) => (error instanceof StartError ? error.message : error.stack),
    );

  const UNHEARD = /^another Causeway process uses the database of DATABASE_URL/;
  const KEYS = /^SECRET_KEYS differs from the other processes/;

  describe('of which one has no Redis', () => {
    it.each<[string, Record<string, string>, Record<string, string>]>([
      ['and neither has the other', {}, {}],
      ['are not started after one that has one', shared(), {}],
      ['lets none in that has one', {}, shared()],
    ])('%s', async (_case, first, second) => {
      expect(await outcome(first)).toBe('ready');
      expect(await outcome(second)).toMatch(UNHEARD);
      await started.pop()?.stop();
      expect(await outcome(second)).toBe('ready');
    });

    it('never run together when they start at once', async () => {
      for (let round = 0; round < 3; round += 1) {
        const outcomes = await Promise.all([outcome(), outcome(shared()), outcome(), outcome(shared())]);
        const ready = started.map(({ app }) => app.config.redisUrl !== null);
        expect(new Set(ready).size).toBeLessThan(2);
        expect(ready.filter((hasRedis) => !hasRedis).length).toBeLessThan(2);
        for (const text of outcomes) expect(text).toMatch(/^ready$|^another Causeway/);
        await Promise.all(started.splice(0).map((server) => server.stop()));
      }
    });

    it('can follow each other at once, also after the first was killed', async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'causeway-killed-'));
      const killed = await startInstance(environment({ DATA_DIR: dataDir }));
      await killed.end('SIGKILL');
      await rm(dataDir, { recursive: true });
      expect(await outcome()).toBe('ready');
    });
  });

  describe('of which one was disconnected from it', () => {
    let other: pg.Client;
    beforeEach(async () => {
      other = new pg.Client({ connectionString: database?.url ?? '' });
      await other.connect();
    });
    afterEach(() => other.end());

    /** Ends the connection with the exclusive lock of a process. */
    const cutHold = async () => {
      expect(await endLockHolders(other)).toBe(1);
    };

    it('and its exclusive lock, which another has now: the first ends', async () => {
      const { refused } = await start();
      await cutHold();
      await other.query('SELECT pg_advisory_lock(4900101)');
      expect((await refused).message).toMatch(UNHEARD);
    });

    /** Makes the process with the exclusive lock lose its database and get it back. */
    const loseAndRegain = async (clock: ManualClock) => {
      const before = clock.waiting;
      await cutHold();
      await until(() => clock.waiting > before);
      clock.advance(1_000);
    };
    const GOES_ON = 'goes on';
    const soFar = (refused: Promise<StartError>) => Promise.race([refused, Promise.resolve(GOES_ON)]);
    const LIVING = `INSERT INTO "LiveProcess" ("id", "until") VALUES ('came', now() + interval '1 hour')`;

    it('and its exclusive lock, and finds a running one with Redis: the first ends', async () => {
      const clock = new ManualClock();
      const { refused } = await start({}, { clock });
      const before = clock.waiting;
      await cutHold();
      await until(() => clock.waiting > before);
      expect(await outcome(shared())).toBe('ready');
      clock.advance(1_000);
      await until(() => clock.waiting > before);
      expect(await soFar(refused)).toBe(GOES_ON);
      clock.advance(40_000);
      expect((await refused).message).toMatch(UNHEARD);
    });

    it('and its exclusive lock, and finds one that was killed or refused: it goes on', async () => {
      const clock = new ManualClock();
      const { app, refused } = await start({}, { clock });
      const before = clock.waiting;
      await other.query(LIVING);
      await loseAndRegain(clock);
      await until(() => clock.waiting > before);
      await other.query(`DELETE FROM "LiveProcess" WHERE "id" = 'came'`);
      clock.advance(40_000);
      // One connection after the other. Earlier queries are answered before the last of these.
      for (let n = 0; n < 20; n += 1) await app.db.reader.$queryRaw`SELECT 1 AS "one"`;
      expect(await soFar(refused)).toBe(GOES_ON);
    });

    it('and its exclusive lock, and cannot check for others at first: it checks again', async () => {
      const clock = new ManualClock();
      const { log, lines } = readableLog();
      const { refused } = await start({}, { clock, log });
      const before = clock.waiting;
      await other.query('ALTER TABLE "LiveProcess" RENAME COLUMN "signsWith" TO "hidden"');
      await loseAndRegain(clock);
      await until(() => lines.length > 0);
      expect(readLines(lines)).toEqual([
        expect.objectContaining({ msg: 'Could not check for conflicting processes; trying again' }),
      ]);
      await other.query('ALTER TABLE "LiveProcess" RENAME COLUMN "hidden" TO "signsWith"');
      await other.query(LIVING);
      for (const ms of [10_000, 40_000]) {
        await until(() => clock.waiting > before);
        clock.advance(ms);
      }
      expect((await refused).message).toMatch(UNHEARD);
    });

    it('and missed its heartbeats: it reports that, and is alive again when it can write them', async () => {
      const clock = new ManualClock();
      const { log, lines } = readableLog();
      const { app } = await start(shared(), { clock, log });
      const end = async () => (await app.db.reader.liveProcess.findFirst())?.until.getTime() ?? 0;
      const before = await end();
      await other.query('ALTER TABLE "LiveProcess" RENAME TO "Hidden"');
      clock.advance(10_000);
      await until(() => lines.length > 0);
      expect(readLines(lines)).toEqual([
        expect.objectContaining({ msg: 'Could not renew the heartbeat of this process; trying again' }),
      ]);
      await other.query('ALTER TABLE "Hidden" RENAME TO "LiveProcess"');
      await until(async () => {
        clock.advance(10_000);
        return (await end()) > before;
      });
    });

    it('and was taken for dead, and finds one with other keys: the first ends', async () => {
      const clock = new ManualClock();
      const { app, refused } = await start(shared(OLD), { clock });
      await app.db.writer.liveProcess.update({ where: { id: app.live.id }, data: { until: new Date(0) } });
      expect(await outcome(shared(NEW))).toBe('ready');
      const before = clock.waiting;
      clock.advance(10_000);
      await until(() => clock.waiting > before);
      clock.advance(40_000);
      expect((await refused).message).toMatch(KEYS);
    });
  });

  describe('with different keys', () => {
    it.each([
      [OLD, NEW],
      [OLD, undefined],
      [undefined, OLD],
      // The others do not accept the newest key yet.
      [OLD, `${NEW},${OLD}`],
      // The key that the others sign with is not accepted.
      [`${NEW},${OLD}`, OLD],
    ])('%s and then %s: the later one is refused', async (first, second) => {
      expect(await outcome(shared(first))).toBe('ready');
      expect(await outcome(shared(second))).toMatch(KEYS);
      expect(await outcome(shared(first))).toBe('ready');
    });

    it('can rotate keys that all of them accept, one after the other', async () => {
      for (const keys of ['database', `database,${NEW}`, `${NEW},database`, NEW]) {
        expect(await outcome(shared(keys))).toBe('ready');
        if (started.length > 1) await started.shift()?.stop();
      }
    });
  });
});
