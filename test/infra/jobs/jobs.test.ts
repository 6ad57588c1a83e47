import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Database, PrismaClient } from '../../../src/infra/database/index.js';
import { type NextId, snowflakes } from '../../../src/infra/ids/ids.js';
import { type JobKinds, Jobs, type NewJob, removeDeadJobs } from '../../../src/infra/jobs/index.js';
import { LEASE_MS } from '../../../src/infra/jobs/rows.js';
import { ManualClock } from '../../harness/clock.js';
import { failStatements } from '../../harness/faults.js';
import { eventually, openSharedDatabase, type SharedDatabase } from '../../harness/jobs.js';
import { readableLog, readLines } from '../../harness/log.js';
import { readingsOf } from '../../harness/statements.js';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const OTHER_MAX_MS = 120 * SECOND;

const PAYLOADS = {
  note: z.object({ id: z.string().transform(BigInt) }),
  other: z.object({ text: z.string() }),
  round: z.object({}),
};
type Payloads = typeof PAYLOADS;
type Job = NewJob<Payloads>;

const { log, lines } = readableLog('warn');
const BEGAN = Date.now();
const nextId = snowflakes({ now: () => BEGAN, after: () => ({ cancel() {} }) }, 5);
let shared: SharedDatabase;
let db: Database;
let running: Jobs<Payloads>[] = [];

beforeAll(async () => {
  shared = await openSharedDatabase(log);
  db = shared.handles[0];
});
beforeEach(async () => {
  lines.length = 0;
  await db.writer.job.deleteMany();
});
afterEach(async () => {
  await Promise.all(running.map((jobs) => jobs.stop()));
  running = [];
});
afterAll(() => shared?.close());

type Handler<Kind extends keyof Payloads> = JobKinds<Payloads>[Kind]['run'];

interface ProcessOptions {
  db?: Database;
  clock?: ManualClock;
  note?: Handler<'note'>;
  other?: Handler<'other'>;
  round?: Handler<'round'>;
  nextId?: NextId;
}

function openProcess(options: ProcessOptions = {}) {
  const clock = options.clock ?? new ManualClock(BEGAN);
  const registry = new Registry();
  const parts = {
    db: options.db ?? db,
    clock,
    connectionClock: clock,
    log,
    nextId: options.nextId ?? nextId,
    registry,
  };
  const jobs = new Jobs<Payloads>(parts);
  running.push(jobs);
  const idle = async () => {};
  const kinds: JobKinds<Payloads> = {
    note: { payload: PAYLOADS.note, atOnce: 2, run: options.note ?? idle },
    other: { payload: PAYLOADS.other, atOnce: 2, tries: 3, maxMs: OTHER_MAX_MS, run: options.other ?? idle },
    round: { payload: PAYLOADS.round, atOnce: 1, tries: 2, everyMs: HOUR, run: options.round ?? idle },
  };
  return {
    clock,
    jobs,
    start: () => jobs.start(kinds),
    add: (job: Partial<Job> = {}) => {
      const made = { kind: 'note', payload: { id: '1' }, dueAt: clock.now(), ...job } as Job;
      return jobs.add(db.writer, made).then(() => jobs.wakeAt(made.dueAt));
    },
    metrics: () => registry.metrics(),
  };
}

const rows = () => db.reader.job.findMany({ where: { kind: { not: 'round' } }, orderBy: { id: 'asc' } });
const round = () => db.reader.job.findUnique({ where: { key: 'round' } });
const noneLeft = () => eventually(async () => expect(await rows()).toEqual([]));

async function passTime(clocks: ManualClock[], ms: number, step: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    for (const clock of clocks) clock.advance(step);
    await quiet();
  }
}

/** Lets timers and their few statements finish. */
async function quiet(): Promise<void> {
  for (let statement = 0; statement < 3; statement += 1) {
    await Promise.all(shared.handles.map(({ reader }) => reader.$queryRaw`SELECT 1`));
    for (let turn = 0; turn < 40; turn += 1) await setImmediate();
  }
}

describe('a job', () => {
  it('runs when it is due and not before, with its payload, and is removed', async () => {
    const done: unknown[] = [];
    const { start, add, clock } = openProcess({
      note: async (payload, { id, attempt }) => void done.push([payload, typeof id, attempt]),
    });
    start();
    await add({ payload: { id: '900719925474099301' }, dueAt: clock.now() + 5 * SECOND });
    clock.advance(5 * SECOND - 1);
    await quiet();
    expect(done).toEqual([]);
    clock.advance(1);
    await noneLeft();
    expect(done).toEqual([[{ id: 900719925474099301n }, 'bigint', 1]]);
  });

  it('exists if and only if the transaction that added it was committed', async () => {
    const { jobs, clock } = openProcess();
    const added = (fails: boolean) =>
      db.writer.$transaction(async (tx) => {
        await jobs.add(tx, { kind: 'note', payload: { id: '1' }, dueAt: clock.now() });
        if (fails) throw new Error('rolled back');
      });
    await expect(added(true)).rejects.toThrow('rolled back');
    expect(await rows()).toEqual([]);
    await added(false);
    expect(await rows()).toHaveLength(1);
  });

  it('with a key is not added next to another one that waits or runs, and is added when that is done', async () => {
    let end = () => {};
    const { start, add, clock } = openProcess({ note: () => new Promise((resolve) => (end = resolve)) });
    await add({ key: 'k', payload: { id: '1' }, dueAt: clock.now() + SECOND });
    await Promise.all([add({ key: 'k', payload: { id: '2' } }), add({ key: 'other' })]);
    expect((await rows()).map(({ key, payload }) => [key, payload])).toEqual([
      ['k', { id: '1' }],
      ['other', { id: '1' }],
    ]);
    await db.writer.job.deleteMany({ where: { key: 'other' } });
    clock.advance(SECOND);
    start();
    await eventually(async () => expect(await rows()).toMatchObject([{ attempts: 1 }]));
    await add({ key: 'k' });
    expect(await rows()).toMatchObject([{ attempts: 1 }]);
    await db.writer.job.updateMany({ data: { againAt: null } });
    end();
    await noneLeft();
    await add({ key: 'k', dueAt: clock.now() + DAY });
    expect(await rows()).toHaveLength(1);
  });

  describe('that is added under the key of a running job', () => {
    /** A job. Each attempt reads the state and then waits for `end`. */
    function reading(fails = false) {
      let state = 'old';
      const seen: string[] = [];
      let end = () => {};
      const other = async () => {
        seen.push(state);
        await new Promise<void>((resolve) => (end = resolve));
        if (fails) throw new Error('of no use');
      };
      const change = () => {
        state = 'new';
      };
      return { seen, other, change, end: () => end() };
    }
    const keyed = (dueAt: number) => ({ kind: 'other', payload: { text: 'x' }, key: 'k', dueAt }) as const;

    it('makes it run once more, at its time, with the current state', async () => {
      const work = reading();
      const { start, add, clock, metrics } = openProcess({ other: work.other });
      await add(keyed(clock.now()));
      start();
      await eventually(() => expect(work.seen).toEqual(['old']));
      work.change();
      await add(keyed(clock.now() + 5 * SECOND));
      work.end();
      const again = { holder: null, attempts: 0, againAt: null, dueAt: new Date(clock.now() + 5 * SECOND) };
      await eventually(async () => expect(await rows()).toMatchObject([again]));
      await quiet();
      clock.advance(5 * SECOND - 1);
      await quiet();
      expect(work.seen).toEqual(['old']);
      clock.advance(1);
      await eventually(() => expect(work.seen).toEqual(['old', 'new']));
      work.end();
      await noneLeft();
      await eventually(async () => expect(await metrics()).toContain('{kind="other",ending="done"} 2'));
    });

    it('makes it run once more if the transaction is open while it ends', async () => {
      const work = reading();
      const { start, add, jobs, clock } = openProcess({ other: work.other });
      await add(keyed(clock.now()));
      start();
      await eventually(() => expect(work.seen).toEqual(['old']));
      await db.writer.$transaction(async (tx) => {
        await jobs.add(tx, keyed(clock.now()));
        work.end();
        for (let turn = 0; turn < 200; turn += 1) await setImmediate();
        work.change();
      });
      await eventually(() => expect(work.seen).toEqual(['old', 'new']));
      work.end();
      await noneLeft();
    });

    it('makes it start again if it is given up at that time', async () => {
      const work = reading(true);
      const { start, add, clock } = openProcess({ other: work.other });
      const last = { attempts: 2, dueAt: new Date(clock.now()), key: 'k' };
      await db.writer.job.create({ data: { id: nextId(), kind: 'other', payload: { text: 'x' }, ...last } });
      start();
      await eventually(() => expect(work.seen).toEqual(['old']));
      await add(keyed(clock.now() + HOUR));
      work.end();
      const anew = { key: 'k', attempts: 0, diedAt: null, dueAt: new Date(clock.now() + HOUR) };
      await eventually(async () => expect(await rows()).toMatchObject([anew]));
    });

    it('does not make it run again if it had not begun', async () => {
      const work = reading();
      const { start, add, clock } = openProcess({ other: work.other });
      await add(keyed(clock.now()));
      await add(keyed(clock.now()));
      start();
      await eventually(() => expect(work.seen).toEqual(['old']));
      work.end();
      await noneLeft();
      expect(work.seen).toEqual(['old']);
    });
  });

  it('is noticed within half a minute if another process added it', async () => {
    const { start, clock } = openProcess();
    start();
    await quiet();
    await openProcess({ db: shared.handles[1] }).add();
    clock.advance(30 * SECOND);
    await noneLeft();
  });

  it('of an unknown kind is left to other processes', async () => {
    const { start, clock } = openProcess();
    await db.writer.job.create({ data: { id: nextId(), kind: 'of-tomorrow', payload: {}, dueAt: new Date(BEGAN) } });
    start();
    await passTime([clock], 5 * 60 * SECOND, 30 * SECOND);
    expect(await rows()).toMatchObject([{ kind: 'of-tomorrow', attempts: 0 }]);
  });

  it('runs within the limit of its kind, and waits for no other kind', async () => {
    const ends: (() => void)[] = [];
    const { start, add } = openProcess({ note: () => new Promise((resolve) => ends.push(resolve)) });
    for (let n = 0; n < 30; n += 1) await add();
    await add({ kind: 'other', payload: { text: 'x' } });
    start();
    await eventually(async () => expect(await rows()).toHaveLength(30));
    await quiet();
    expect(ends).toHaveLength(2);
    for (let ended = 0; ended < 30; ended += 1) {
      await eventually(() => expect(ends.length).toBeGreaterThan(ended));
      ends[ended]?.();
    }
    await noneLeft();
  });
});

describe('several processes', () => {
  /**
   * The same database. Its reader delays each result until the other process has read too, so that both see the same
   * free jobs.
   */
  function meeting(): [Database, Database] {
    const waiting: (() => void)[] = [];
    const meet = () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 2) for (const go of waiting.splice(0)) go();
        else setTimeout(() => waiting.splice(0).forEach((go) => void go()), 200);
      });
    const held = (handle: Database): Database => {
      const { job } = handle.reader;
      const findMany = async (args: Parameters<typeof job.findMany>[0]) => {
        const found = await job.findMany(args);
        await meet();
        return found;
      };
      return { ...handle, reader: { ...handle.reader, job: { ...job, findMany } } as PrismaClient };
    };
    return [held(shared.handles[0]), held(shared.handles[1])];
  }

  it('run each of many jobs once', async () => {
    const done: string[] = [];
    const note: Handler<'note'> = async ({ id }) => {
      await setImmediate();
      done.push(String(id));
    };
    const processes = meeting().map((handle) => openProcess({ db: handle, note }));
    const ids = Array.from({ length: 60 }, (_, n) => String(n));
    for (const id of ids) await processes[0]!.add({ payload: { id } });
    for (const process of processes) process.start();
    await eventually(async () => expect(await rows()).toEqual([]));
    expect(done.sort()).toEqual(ids.sort());
    const lost = await Promise.all(processes.map((process) => process.metrics()));
    expect(lost.join('\n')).not.toContain('ending="lost"');
  });

  it('have one recurring job in total, which runs once each time', async () => {
    const runs: number[] = [];
    const clocks = [new ManualClock(BEGAN), new ManualClock(BEGAN)];
    const processes = meeting().map((handle, n) =>
      openProcess({ db: handle, clock: clocks[n]!, round: async (_payload, { clock }) => void runs.push(clock.now()) }),
    );
    for (const process of processes) process.start();
    for (let hour = 0; hour < 4; hour += 1) {
      const due = BEGAN + hour * HOUR;
      await eventually(async () => expect((await round())?.dueAt?.getTime()).toBeGreaterThan(due));
      await eventually(async () => expect(await round()).toMatchObject({ holder: null, attempts: 0 }));
      for (const clock of clocks) clock.advance(HOUR);
    }
    await eventually(() => expect(runs).toHaveLength(5));
    await quiet();
    expect(runs).toEqual([0, 1, 2, 3, 4].map((hour) => BEGAN + hour * HOUR));
    expect(await db.reader.job.count()).toBe(1);
  });

  it('take over the job of a dead process when its lease has expired', async () => {
    const attempts: number[] = [];
    const dying = openProcess({ note: () => new Promise(() => {}) });
    const other = openProcess({
      db: shared.handles[1],
      note: async (_payload, { attempt }) => void attempts.push(attempt),
    });
    await dying.add();
    dying.start();
    await eventually(async () => expect(await rows()).toMatchObject([{ attempts: 1 }]));
    other.start();
    other.clock.advance(LEASE_MS - 1);
    await quiet();
    expect(attempts).toEqual([]);
    other.clock.advance(1);
    await noneLeft();
    expect(attempts).toEqual([2]);
  });

  it('leave a job alone if its process works long and renews its lease', async () => {
    const clock = new ManualClock(BEGAN);
    let begun = 0;
    let end = () => {};
    const note: Handler<'note'> = () => {
      begun += 1;
      return new Promise((resolve) => (end = resolve));
    };
    const processes = shared.handles.map((handle) => openProcess({ db: handle, clock, note }));
    await processes[0]!.add();
    for (const process of processes) process.start();
    await eventually(() => expect(begun).toBe(1));
    await passTime([clock], 5 * LEASE_MS, 10 * SECOND);
    expect(begun).toBe(1);
    end();
    await noneLeft();
  });

  it('write nothing for a job that another has taken over, and stop working on it', async () => {
    const reasons: string[] = [];
    let end = () => {};
    const slow = openProcess({
      note: (_payload, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(String(signal.reason)));
        return new Promise((resolve) => (end = resolve));
      },
    });
    const other = openProcess({ db: shared.handles[1], note: () => new Promise(() => {}) });
    await slow.add();
    slow.start();
    await eventually(async () => expect(await rows()).toMatchObject([{ attempts: 1 }]));
    other.clock.advance(LEASE_MS);
    other.start();
    await eventually(async () => expect(await rows()).toMatchObject([{ attempts: 2 }]));
    const [taken] = await rows();
    slow.clock.advance(LEASE_MS / 3);
    await eventually(() => expect(reasons).toEqual(['Error: the lease of the job was lost']));
    end();
    await eventually(async () => expect(await slow.metrics()).toContain('{kind="note",ending="lost"} 1'));
    expect(await rows()).toEqual([taken]);
  });
});

describe('a job that fails', () => {
  const failing = () => Promise.reject(new Error('of no use'));

  it('is tried again after longer and longer delays, then given up: logged without its payload, counted, kept for 30 days', async () => {
    const { start, add, clock, metrics } = openProcess({ other: failing });
    await add({ kind: 'other', payload: { text: 'a secret' }, key: 'k' });
    start();
    for (const [attempts, longest] of [
      [1, 10 * SECOND],
      [2, 20 * SECOND],
    ] as const) {
      await eventually(async () => expect(await rows()).toMatchObject([{ attempts, holder: null }]));
      const wait = (await rows())[0]!.dueAt!.getTime() - clock.now();
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThanOrEqual(longest);
      clock.advance(wait - 1);
      await quiet();
      expect(await rows()).toMatchObject([{ attempts, holder: null }]);
      clock.advance(1);
    }
    const dead = { kind: 'other', attempts: 3, holder: null, key: null, dueAt: null, diedAt: new Date(clock.now()) };
    await eventually(async () => expect(await rows()).toMatchObject([dead]));
    const [found] = await rows();
    expect(readLines(lines).map(({ level }) => level)).toEqual([40, 40, 50]);
    expect(JSON.parse(lines[2]!)).toMatchObject({ job: String(found?.id), kind: 'other', attempt: 3 });
    expect(lines.join('')).not.toContain('a secret');
    const text = await metrics();
    expect(text).toContain('causeway_jobs_dead 1');
    expect(text).toContain('{kind="other",ending="failed"} 2');
    expect(text).toContain('{kind="other",ending="dead"} 1');
    await passTime([clock], DAY, HOUR);
    expect(await rows()).toMatchObject([dead]);
    const diedAt = (await rows())[0]!.diedAt!.getTime();
    expect(await removeDeadJobs(db.writer, diedAt + 30 * DAY - 1, 10)).toBe(0);
    expect(await removeDeadJobs(db.writer, diedAt + 30 * DAY, 10)).toBe(1);
  });

  it('because of its time limit is aborted, logged and tried again, also by the same process', async () => {
    const reasons: string[] = [];
    let begun = 0;
    const { start, add, clock, metrics } = openProcess({
      other: (_payload, { signal }) => {
        begun += 1;
        signal.addEventListener('abort', () => reasons.push(String(signal.reason)));
        return new Promise(() => {});
      },
    });
    await add({ kind: 'other', payload: { text: 'x' } });
    await add({ kind: 'other', payload: { text: 'y' } });
    start();
    await eventually(() => expect(begun).toBe(2));
    await passTime([clock], OTHER_MAX_MS - 10 * SECOND, 10 * SECOND);
    expect(await rows()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
    expect([reasons, lines]).toEqual([[], []]);
    clock.advance(10 * SECOND);
    const failed = { attempts: 1, holder: null };
    await eventually(async () => expect(await rows()).toMatchObject([failed, failed]));
    expect(reasons).toEqual(['Error: the attempt is over', 'Error: the attempt is over']);
    expect(readLines(lines).map(({ level }) => level)).toEqual([40, 40]);
    expect(await metrics()).toContain('{kind="other",ending="failed"} 2');
    clock.advance(10 * SECOND);
    await eventually(() => expect(begun).toBe(4));
  });

  it('to renew its lease for a reason that is not an outage is logged', async () => {
    const { start, add, clock } = openProcess({ note: () => new Promise(() => {}) });
    await add();
    start();
    await eventually(async () => expect(await rows()).toMatchObject([{ attempts: 1 }]));
    const fault = failStatements(/^UPDATE.*Job/s);
    clock.advance(LEASE_MS / 3);
    const logged = { level: 50, kind: 'note', msg: 'Could not renew the lease of a job' };
    // The same moment may find the recurring job due, which cannot be taken either.
    await eventually(() => expect(readLines(lines)).toContainEqual(expect.objectContaining(logged)));
    fault.heal();
  });

  it('because each attempt ends its process is given up, too', async () => {
    let begun = 0;
    const { start, clock } = openProcess({ other: async () => void begun++ });
    const died = { attempts: 3, holder: 'who died', dueAt: new Date(clock.now()) };
    await db.writer.job.create({ data: { id: nextId(), kind: 'other', payload: { text: 'x' }, ...died } });
    start();
    await eventually(async () => expect(await rows()).toMatchObject([{ dueAt: null, diedAt: new Date(clock.now()) }]));
    expect(begun).toBe(0);
  });

  it('and recurs is not dead, and waits for its next time', async () => {
    let begun = 0;
    const { start, clock } = openProcess({
      round: async () => {
        begun += 1;
        await failing();
      },
    });
    start();
    await eventually(async () => expect(await round()).toMatchObject({ attempts: 1, holder: null }));
    clock.advance(10 * SECOND);
    const next = { attempts: 0, holder: null, dueAt: new Date(clock.now() + HOUR), diedAt: null };
    await eventually(async () => expect(await round()).toMatchObject(next));
    expect(begun).toBe(2);
    expect(readLines(lines).map(({ level }) => level)).toEqual([40, 50]);
    clock.advance(HOUR);
    await eventually(() => expect(begun).toBe(3));
  });

  it.each([
    ['of another form', { id: 1, token: 'a secret' }, [{ path: ['id'], code: 'invalid_type' }]],
    ['that cannot be converted', { id: 'a secret' }, []],
  ])('to be read, %s, is dead at once', async (_form, payload, issues) => {
    let begun = 0;
    const { start } = openProcess({ note: async () => void begun++ });
    await db.writer.job.create({ data: { id: nextId(), kind: 'note', payload, dueAt: new Date(BEGAN) } });
    start();
    await eventually(async () => expect(await rows()).toMatchObject([{ dueAt: null, attempts: 1 }]));
    expect(begun).toBe(0);
    expect(readLines(lines)).toMatchObject([{ level: 50, issues }]);
    expect(lines.join('')).not.toContain('a secret');
  });
});

describe('a shutdown', () => {
  it('aborts running jobs, returns them without counting an attempt, and lets another process continue at once', async () => {
    const { start, add, jobs } = openProcess({
      note: (_payload, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await add();
    start();
    await eventually(async () => expect(await rows()).toMatchObject([{ attempts: 1 }]));
    await jobs.stop();
    expect(await rows()).toMatchObject([{ attempts: 0, holder: null, dueAt: new Date(BEGAN) }]);
    expect(lines).toEqual([]);
    openProcess({ db: shared.handles[1] }).start();
    await noneLeft();
  });

  it('waits a second for a job that does not react, and takes no other job', async () => {
    const { start, add, jobs } = openProcess({ note: () => new Promise(() => {}) });
    await add();
    start();
    await eventually(async () => expect(await rows()).toMatchObject([{ attempts: 1 }]));
    const began = performance.now();
    await jobs.stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    await add();
    await quiet();
    expect(await rows()).toMatchObject([{ attempts: 1 }, { attempts: 0 }]);
  });
});

describe('metrics', () => {
  it('have the number of due jobs and the delay of the oldest', async () => {
    const { add, clock, metrics, jobs } = openProcess();
    await add();
    clock.advance(90 * SECOND);
    await add();
    await add({ dueAt: clock.now() + 1 });
    const text = await metrics();
    expect(text).toContain('causeway_jobs_due 2');
    expect(text).toContain('causeway_jobs_oldest_due_seconds 90');
    expect(text).toContain('causeway_jobs_dead 0');
    await jobs.stop();
  });

  it('query the database once in five seconds, however often and long they are requested', async () => {
    let reads = 0;
    const waiting: (() => void)[] = [];
    const { job } = db.reader;
    const aggregate = async (args: Parameters<typeof job.aggregate>[0]) => {
      reads += 1;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return job.aggregate(args);
    };
    const reader = { ...db.reader, job: { ...job, aggregate } } as PrismaClient;
    const { clock, add, metrics } = openProcess({ db: { ...db, reader } });
    await add();
    const slow = await Promise.all([metrics(), metrics()]);
    slow.push(await metrics());
    for (const text of slow) expect(text).toContain('causeway_jobs_due 0');
    expect(reads).toBe(1);
    waiting.shift()?.();
    await eventually(async () => expect(await metrics()).toContain('causeway_jobs_due 1'));
    clock.advance(5 * SECOND - 1);
    await metrics();
    expect(reads).toBe(1);
    clock.advance(1);
    const later = metrics();
    await eventually(() => expect(reads).toBe(2));
    waiting.shift()?.();
    await later;
  });
});

it('a process that cannot make ids runs existing jobs, logs the failure once, and adds its own jobs when it can', async () => {
  let hasIds = false;
  const done: unknown[] = [];
  await openProcess().add();
  const { start, clock } = openProcess({
    nextId: () => {
      if (!hasIds) throw new Error('no ids');
      return nextId();
    },
    note: async ({ id }) => void done.push(id),
  });
  start();
  await noneLeft();
  expect(done).toEqual([1n]);
  await passTime([clock], 20 * SECOND, 5 * SECOND);
  expect(readLines(lines).map(({ msg }) => msg)).toEqual(['Could not add recurring jobs']);
  expect(await round()).toBeNull();
  hasIds = true;
  // A poll that still runs sets its timer after the clock was moved.
  await eventually(async () => {
    clock.advance(5 * SECOND);
    expect(await round()).toMatchObject({ attempts: 0 });
  });
});

it('an idle process sends one read in half a minute', async () => {
  const { start, clock } = openProcess();
  start();
  await eventually(async () =>
    expect(await round()).toMatchObject({ attempts: 0, holder: null, dueAt: new Date(BEGAN + HOUR) }),
  );
  await quiet();
  const { statements } = await readingsOf(async () => {
    clock.advance(30 * SECOND - 1);
    await quiet();
    clock.advance(1);
    await quiet();
  });
  expect(statements.filter((sql) => sql !== 'SELECT 1')).toEqual([expect.stringMatching(/^SELECT .*Job/)]);
});
