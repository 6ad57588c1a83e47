import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/infra/database/index.js';
import { NoIdsError, snowflakeTime } from '../../../src/infra/ids/ids.js';
import { leaseWorker, type WorkerLease } from '../../../src/infra/processes/worker-lease.js';
import { ManualClock } from '../../harness/clock.js';
import { between, noPostgres } from '../../harness/interleave.js';
import { type Line, layLine } from '../../harness/line.js';
import { migratedDatabase } from '../../harness/server.js';
import { needing } from '../../harness/skipping.js';

const HOUR = 3_600_000;
const log = pino({ level: 'silent' });

describe.skipIf(noPostgres)(needing(noPostgres, 'a leased snowflake worker (docs/adr/0011)'), () => {
  let database: Awaited<ReturnType<typeof migratedDatabase>>;
  let db: Database;
  let line: Line;
  let distant: Database;

  beforeAll(async () => {
    database = await migratedDatabase();
    const url = database?.url ?? '';
    line = await layLine(url, 5432);
    db = await openDatabase({ url, dataDir: '', pool: 10, isAlone: false }, log);
    distant = await openDatabase({ url: line.url, dataDir: '', pool: 10, isAlone: false }, log);
  });
  afterAll(async () => {
    line?.close();
    await Promise.all([db?.close(), distant?.close()]);
    await database?.drop();
  });
  beforeEach(async () => {
    line.mend();
    await db.writer.worker.deleteMany();
  });

  const lease = (clock = new ManualClock(), from = db) => leaseWorker(from, clock, log);
  const workerOf = (id: bigint) => Number((id >> 12n) & 1023n);
  const idsOf = ({ nextId }: WorkerLease, count = 5_000) => Array.from({ length: count }, nextId);
  const rowOf = (number: number) => db.writer.worker.findUniqueOrThrow({ where: { number } });
  /** Makes this number the only free one. The lease on it expires. */
  const freeOnly = async (number: number) => {
    await db.writer.worker.updateMany({
      where: { number: { not: number } },
      data: { until: new Date(Date.now() + HOUR) },
    });
    await db.writer.worker.updateMany({ where: { number }, data: { until: new Date(Date.now() - HOUR) } });
  };

  it('is a different one for each of many that begin at the same time', async () => {
    const leases = await Promise.all(Array.from({ length: 40 }, () => lease()));
    const workers = leases.map(({ nextId }) => workerOf(nextId()));
    expect(new Set(workers).size).toBe(40);
    expect(workers.every((worker) => worker >= 1 && worker <= 255)).toBe(true);
    await Promise.all(leases.map((held) => held.release()));
  });

  it('is refused when all are taken', async () => {
    const held = await lease();
    await db.writer.worker.updateMany({ data: { until: new Date(Date.now() + HOUR) } });
    await expect(lease()).rejects.toThrow('all snowflake workers from 1 to 255 are taken');
    await held.release();
  });

  it.each([0, 150, HOUR])('repeats no id of the one before, whose clock was %d ms ahead', async (ms) => {
    let time = Date.now();
    const start = time;
    const clock = { now: () => time, after: () => ({ cancel() {} }) };
    time = start + ms;
    const before = await leaseWorker(db, clock, log);
    const made = idsOf(before);
    const worker = workerOf(made[0]!);
    await freeOnly(worker);
    time = start;
    const after = await leaseWorker(db, clock, log);
    const ids = [...made, ...idsOf(after)];
    time = start + ms;
    ids.push(...idsOf(after), ...idsOf(before));
    expect(workerOf(after.nextId())).toBe(worker);
    expect(new Set(ids).size).toBe(ids.length);
    await after.release();
  });

  it('repeats no id, whichever processes start, stop, are slow or count as dead, with any clock', async () => {
    const start = Date.now();
    const step = fc.record({
      process: fc.integer({ min: 0, max: 2 }),
      what: fc.constantFrom('start', 'crash', 'release', 'make', 'make', 'wait', 'expire'),
      clock: fc.constantFrom(-HOUR, -15_000, 0, 15_000, HOUR),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
        await db.writer.worker.deleteMany();
        await db.writer.worker.createMany({
          data: Array.from({ length: 255 }, (_, n) => ({
            number: n + 1,
            until: new Date(Date.now() + HOUR),
            lastMs: 0n,
          })),
        });
        await db.writer.worker.updateMany({ where: { number: 9 }, data: { until: new Date(0) } });
        const running: ({ lease: WorkerLease; clock: ManualClock } | undefined)[] = [];
        const ids: bigint[] = [];
        const make = (held: WorkerLease | undefined) => {
          try {
            for (let n = 0; n < 20; n += 1) if (held) ids.push(held.nextId());
          } catch (error) {
            expect(error).toBeInstanceOf(NoIdsError);
          }
        };
        for (const { process, what, clock: offset } of steps) {
          const one = running[process];
          if (what === 'start' && !one) {
            const clock = new ManualClock(start + offset);
            const held = await lease(clock).catch(() => undefined);
            if (held) running[process] = { lease: held, clock };
            make(held);
          } else if (what === 'crash') running[process] = undefined;
          else if (what === 'make') make(one?.lease);
          else if (what === 'wait') one?.clock.advance(15_000);
          else if (what === 'expire') {
            await db.writer.worker.updateMany({ where: { number: 9 }, data: { until: new Date(0) } });
          } else if (what === 'release' && one) {
            await one.lease.release();
            running[process] = undefined;
          }
        }
        for (const one of running) make(one?.lease);
        for (const one of running) await one?.lease.release();
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: 12 },
    );
  });

  it('continues right after the last id of the one before, with the number whose last id is oldest', async () => {
    const now = Date.now();
    const before = await lease(new ManualClock(now));
    const last = idsOf(before).at(-1)!;
    await before.release();
    expect(before.nextId).toThrow(NoIdsError);
    const other = await lease(new ManualClock(now));
    expect(workerOf(other.nextId())).not.toBe(workerOf(last));
    await freeOnly(workerOf(last));
    const after = await lease(new ManualClock(now - HOUR));
    expect(workerOf(after.nextId())).toBe(workerOf(last));
    expect(snowflakeTime(after.nextId()) - snowflakeTime(last)).toBe(1);
    await Promise.all([other.release(), after.release()]);
  });

  it('makes no ids beyond the reserved range when its clock leaps, and continues from the last time', async () => {
    const clock = new ManualClock();
    let leap = 0;
    const held = await leaseWorker(db, { now: () => clock.now() + leap, after: (...of) => clock.after(...of) }, log);
    const first = held.nextId();
    leap = HOUR;
    const ids = idsOf(held);
    const { lastMs } = await rowOf(workerOf(first));
    expect(ids[0]! > first).toBe(true);
    expect(snowflakeTime(ids.at(-1)!)).toBeLessThanOrEqual(Number(lastMs));
    await held.release();
  });

  it('is kept by renewals, which reserve further ranges', async () => {
    const clock = new ManualClock();
    const held = await lease(clock);
    const worker = workerOf(held.nextId());
    for (let renewals = 0; renewals < 8; renewals += 1) {
      const { lastMs } = await rowOf(worker);
      clock.advance(15_000);
      await expect.poll(async () => (await rowOf(worker)).lastMs).toBe(lastMs + 15_000n);
      await expect.poll(() => held.isHeld()).toBe(true);
      expect(snowflakeTime(held.nextId())).toBe(clock.now());
    }
    await held.release();
  });

  it('makes no ids after its lease if a renewal never ends, and does again when the database answers', async () => {
    const clock = new ManualClock();
    const held = await lease(clock, distant);
    const first = held.nextId();
    line.freeze();
    clock.advance(54_000);
    expect(held.nextId() > first).toBe(true);
    clock.advance(1_000);
    expect(held.nextId).toThrow(NoIdsError);
    expect(held.isHeld()).toBe(false);
    line.mend();
    await expect
      .poll(() => {
        clock.advance(2_000);
        return held.isHeld();
      })
      .toBe(true);
    expect(held.nextId() > first).toBe(true);
    await held.release();
  });

  it('takes another number when its own was taken in the meantime', async () => {
    const clock = new ManualClock();
    const held = await lease(clock);
    const worker = workerOf(held.nextId());
    await freeOnly(worker);
    const thief = await lease(new ManualClock(clock.now()));
    expect(workerOf(thief.nextId())).toBe(worker);
    await db.writer.worker.updateMany({ where: { number: 77 }, data: { until: new Date(0) } });
    clock.advance(15_000);
    await expect.poll(() => held.isHeld() && workerOf(held.nextId())).toBe(77);
    await Promise.all([held.release(), thief.release()]);
  });

  describe('whose renewal is answered after it was given up', () => {
    /** Frees only these two numbers and ends the lease of `held`. */
    const losing = async (held: WorkerLease) => {
      const taken = { owner: 'others', until: new Date(Date.now() + HOUR) };
      await db.writer.worker.updateMany({ data: taken });
      await db.writer.worker.updateMany({ where: { number: { in: [77, 78] } }, data: { until: new Date(0) } });
      expect([77, 78]).not.toContain(workerOf(held.nextId()));
    };
    /**
     * Renews the lease. The statement after `skip` others waits until the attempt was given up and the next one took a
     * number.
     */
    const renewLate = (held: WorkerLease, clock: ManualClock, skip: number) =>
      between(
        /UPDATE "Worker"/,
        async () => {
          clock.advance(5_000);
          await new Promise(setImmediate);
          await new Promise(setImmediate);
          clock.advance(2_000);
          await expect.poll(() => held.isHeld() && workerOf(held.nextId()), { timeout: 20_000 }).toBe(77);
        },
        async () => {
          clock.advance(15_000);
          await expect.poll(() => held.isHeld() && workerOf(held.nextId()), { timeout: 20_000 }).toBe(77);
        },
        skip,
      );

    it('keeps the number that a later attempt took', async () => {
      const clock = new ManualClock();
      const held = await lease(clock);
      await losing(held);
      await renewLate(held, clock, 0);
      for (let n = 0; n < 10; n += 1) await rowOf(77);
      expect(held.isHeld()).toBe(true);
      expect(workerOf(held.nextId())).toBe(77);
      expect((await rowOf(78)).lastMs).toBe(0n);
      await held.release();
      expect((await rowOf(77)).owner).toBe(null);
    });

    it('gives back the number that it took too late', async () => {
      const clock = new ManualClock();
      const held = await lease(clock);
      await losing(held);
      await renewLate(held, clock, 1);
      const inVain = async () => {
        const { owner, lastMs } = await rowOf(78);
        return lastMs > 0n && owner === null;
      };
      await expect.poll(inVain, { timeout: 20_000 }).toBe(true);
      expect(workerOf(held.nextId())).toBe(77);
      await held.release();
    });
  });

  it('gives back a number that it gets after it was given up', async () => {
    const clock = new ManualClock();
    const held = await lease(clock);
    await db.writer.worker.updateMany({ data: { owner: 'others', until: new Date(Date.now() + HOUR) } });
    await db.writer.worker.updateMany({ where: { number: 77 }, data: { until: new Date(0) } });
    let released: Promise<void> | undefined;
    await between(
      /UPDATE "Worker"/,
      async () => {
        released = held.release();
      },
      async () => {
        clock.advance(15_000);
        await expect.poll(() => released !== undefined, { timeout: 20_000 }).toBe(true);
      },
      1,
    );
    await released;
    const { owner, lastMs } = await rowOf(77);
    expect([owner, lastMs > 0n]).toEqual([null, true]);
  });

  it('is given up within a time limit when the database does not answer', async () => {
    const clock = new ManualClock();
    const held = await lease(clock, distant);
    line.freeze();
    const released = held.release();
    clock.advance(2_000);
    await released;
  });
});
