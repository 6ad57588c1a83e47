import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callContext } from '../src/context.js';
import type { DomainJob } from '../src/domain/job-payloads.js';
import { LEASE_MS } from '../src/infra/jobs/rows.js';
import { ManualClock } from './harness/clock.js';
import { noPostgres } from './harness/interleave.js';
import { eventually, untilDone } from './harness/jobs.js';
import { type Line, layLine } from './harness/line.js';
import { readableLog, readLines } from './harness/log.js';
import { startInstance } from './harness/process.js';
import { migratedDatabase, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A job with a visible effect: it deletes a row that has expired by then. */
async function addWork({ app }: TestServer, dueAt: number, fails = false): Promise<() => Promise<boolean>> {
  const times = { expiresAt: new Date(app.clock.now() - DAY), createdAt: new Date(0), updatedAt: new Date(0) };
  const { id } = await app.db.writer.authVerification.create({
    data: { id: String(app.nextId()), identifier: 'x', value: 'x', ...times },
  });
  const job: DomainJob = { kind: 'expired-rows', payload: {}, dueAt, key: id };
  const added = callContext(app, { kind: 'anonymous' }).write(async ({ addJob }) => {
    await addJob(job);
    if (fails) throw new Error('rolled back');
  });
  if (fails) await expect(added).rejects.toThrow('rolled back');
  else await added;
  return async () => (await app.db.reader.authVerification.count({ where: { id } })) === 0;
}

describe('a job that a write adds', () => {
  const clock = new ManualClock();
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ jobs: true, clock });
    await untilDone(server, 'expired-rows');
  });
  afterAll(() => server.stop());

  it('runs once at its time, which wakes the process', async () => {
    const isDone = await addWork(server, clock.now() + 3_000);
    clock.advance(2_999);
    expect(await isDone()).toBe(false);
    clock.advance(1);
    await eventually(async () => expect(await isDone()).toBe(true));
    const once = { kind: 'expired-rows', key: { not: 'expired-rows' } };
    await eventually(async () => expect(await server.app.db.reader.job.count({ where: once })).toBe(0));
  });

  it('does not exist after the write was rolled back', async () => {
    const isDone = await addWork(server, clock.now(), true);
    clock.advance(30_000);
    expect(await server.app.db.reader.job.count({ where: { kind: 'expired-rows' } })).toBe(1);
    expect(await isDone()).toBe(false);
  });

  it('is counted at /metrics when it is done', async () => {
    const text = await (await fetch(`${server.origin}/metrics`)).text();
    expect(text).toMatch(/^causeway_job_runs_total\{kind="expired-rows",ending="done"\} [1-9]/m);
    expect(text).toContain('causeway_jobs_dead 0');
  });
});

describe('jobs outlive', () => {
  let database: { url: string; drop(): Promise<void> } | null;
  let dataDir: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await migratedDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-jobs-'));
    env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : { DATABASE_URL: '' }) };
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dataDir, { recursive: true });
  });

  it('a restart', async () => {
    const before = await startServer({ jobs: true, env, clock: new ManualClock() });
    await addWork(before, before.app.clock.now() + 10 * MINUTE);
    await before.stop();
    const clock = new ManualClock();
    const after = await startServer({ jobs: true, env, clock });
    const left = () => after.app.db.reader.authVerification.count();
    expect(await left()).toBe(1);
    clock.advance(10 * MINUTE);
    await eventually(async () => expect(await left()).toBe(0));
    await after.stop();
  });

  it('a killed process: another starts its work again once the lease has expired', { tags: ['slow'] }, async () => {
    const killed = await startInstance(env);
    expect(await killed.end('SIGKILL')).toBe('SIGKILL');
    const clock = new ManualClock();
    const next = await startServer({ jobs: true, env, clock });
    // The process may have been killed while it worked.
    clock.advance(LEASE_MS);
    await untilDone(next, 'expired-rows');
    const times = { expiresAt: new Date(0), createdAt: new Date(0), updatedAt: new Date(0) };
    await next.app.db.writer.authVerification.create({ data: { id: '1', identifier: 'x', value: 'x', ...times } });
    // The row of a job whose process was killed while it ran.
    const held = { holder: 'the killed one', attempts: 1, dueAt: new Date(clock.now() + LEASE_MS) };
    await next.app.db.writer.job.update({ where: { key: 'expired-rows' }, data: held });
    clock.advance(LEASE_MS);
    const left = () => next.app.db.reader.authVerification.count();
    // A poll that was running has read the old row. The next poll is half a minute later.
    await eventually(
      async () => {
        clock.advance(5_000);
        expect(await left()).toBe(0);
      },
      { interval: 200 },
    );
    await next.stop();
  });
});

describe.skipIf(noPostgres)(needing(noPostgres, 'while the database is unavailable'), () => {
  let database: { url: string; drop(): Promise<void> } | null;
  let line: Line;
  beforeAll(async () => {
    database = await migratedDatabase();
    line = await layLine(database?.url ?? '', 5432);
  });
  afterAll(async () => {
    line?.close();
    await database?.drop();
  });

  it.each(['cut', 'freeze'] as const)(
    '(%s) the job runner logs nothing further, and runs jobs when it is back',
    async (how) => {
      const clock = new ManualClock();
      const { log, lines } = readableLog('info');
      const server = await startServer({ jobs: true, env: { DATABASE_URL: line.url }, log, clock });
      await untilDone(server, 'abandoned-files');
      await untilDone(server, 'expired-rows');
      const isDone = await addWork(server, clock.now() + 10 * MINUTE);
      lines.length = 0;
      line[how]();
      await fetch(`${server.origin}/readyz`);
      const logged = () => readLines(lines).filter(({ level }) => level >= 40);
      for (let minute = 0; minute < 12; minute += 1) {
        clock.advance(MINUTE);
        await eventually(() => expect(logged()).toHaveLength(1));
        if (how === 'cut') await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const began = performance.now();
      expect((await fetch(`${server.origin}/metrics`)).status).toBe(200);
      expect(performance.now() - began).toBeLessThan(4_000);
      line.mend();
      await eventually(
        async () => {
          clock.advance(5_000);
          expect(await isDone()).toBe(true);
        },
        { interval: 200 },
      );
      expect(logged().map(({ msg }) => msg)).toEqual([
        'Database is not available; requests that need it get 503 until it is',
      ]);
      await server.stop();
    },
  );
});
