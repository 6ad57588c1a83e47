import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteBox } from '../../../src/domain/boxes/index.js';
import { BoxMeasures } from '../../../src/domain/boxes/measures.js';
import { ADDED_UP_TO_MS, percentileOf, statisticsOf, stepOf } from '../../../src/domain/boxes/statistics.js';
import type { CallContext } from '../../../src/domain/call.js';
import { DatabaseUnavailable } from '../../../src/infra/database/faults.js';
import { RELAY_OUTCOMES } from '../../../src/infra/observability/metrics.js';
import { ManualClock } from '../../harness/clock.js';
import { eventually } from '../../harness/jobs.js';
import { readableLog, readLines } from '../../harness/log.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { refuseStatements } from '../../harness/statements.js';
import { callOf } from '../../harness/world.js';
import { type EnrolledBox, enrolledBox } from './scene.js';

const HOUR = 3_600_000;

/** A call whose writes commit, but whose results are lost. */
const unanswered = (call: CallContext): CallContext => ({
  ...call,
  writeOne: async (write) => {
    await call.writeOne(write);
    throw new DatabaseUnavailable(new Error('the connection was lost'));
  },
});

const ADDING = /INSERT INTO "BoxMeasure"/;

describe('the latency that the relay added', () => {
  it.each([
    [0, 1],
    [1, 1],
    [1.01, 2],
    [4, 5],
    [99, 100],
    [12_000, 15_000],
    [1e9, 15_000],
  ])('%d ms is counted as up to %i ms', (addedMs, upToMs) => {
    expect(ADDED_UP_TO_MS[stepOf(addedMs)]).toBe(upToMs);
  });

  it('has the same percentiles as the exact values, each rounded up to its step', () => {
    const addedMs = fc.double({ min: 0, max: 15_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(addedMs, { minLength: 1 }), fc.constantFrom(0.5, 0.95, 1), (all, part) => {
        const exact = all.toSorted((a, b) => a - b)[Math.ceil(all.length * part) - 1] ?? Number.NaN;
        const counts = all.map((ms) => ({ addedUpToMs: ADDED_UP_TO_MS[stepOf(ms)] ?? 0, count: 1 }));
        expect(percentileOf(counts, part)).toBe(ADDED_UP_TO_MS[stepOf(exact)]);
      }),
    );
  });

  it('has no percentile without counts', () => {
    expect(percentileOf([], 0.5)).toBeNull();
  });

  it.each([
    [0.5, 10],
    [0.9, 10],
    [0.91, 200],
    [1, 200],
  ])('of 9 responses up to 10 ms and one up to 200 ms has %d of all within %i ms', (part, ms) => {
    const counts = [
      { addedUpToMs: 200, count: 1 },
      { addedUpToMs: 10, count: 9 },
    ];
    expect(percentileOf(counts, part)).toBe(ms);
  });
});

it('the statistics leave out hours older than a day and hours in the future', () => {
  const now = 1_000 * HOUR + 5;
  const counts = [976, 977, 1_000, 1_001].map((hour) => ({ hour, outcome: '503', count: 1 }));
  const { hours } = statisticsOf(counts, [], now);
  expect(hours).toHaveLength(24);
  expect(hours.map(({ failed }) => failed)).toEqual([1, ...Array(22).fill(0), 1]);
  expect(hours.at(-1)?.startsAt).toEqual(new Date(1_000 * HOUR));
});

describe('the outcomes of requests to boxes', () => {
  const clock = new ManualClock();
  const { log, lines } = readableLog();
  let server: TestServer;
  let box: EnrolledBox;
  beforeAll(async () => {
    server = await startServer({ clock, log });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    box = await enrolledBox(server.app);
    lines.length = 0;
  });

  const process = () => new BoxMeasures({ clock, log, callOfNobody: () => server.app.callOfNobody() });

  async function manyBoxes(): Promise<{ id: bigint }[]> {
    const ownerId = box.owner.id;
    const boxes = Array.from({ length: 200 }, () => ({ id: server.app.nextId(), name: 'Attic', ownerId }));
    await server.app.db.writer.box.createMany({ data: boxes });
    return boxes;
  }

  const storedOf = ({ id }: EnrolledBox) =>
    server.app.db.reader.boxMeasure.findMany({
      where: { boxId: id },
      select: { outcome: true, addedUpToMs: true, count: true },
      orderBy: [{ outcome: 'asc' }, { addedUpToMs: 'asc' }],
    });

  it('are added up by several processes that store at the same time', async () => {
    const boxes = [box, await enrolledBox(server.app), await enrolledBox(server.app)];
    const processes = [process(), process(), process()];
    for (let round = 0; round < 10; round += 1) {
      for (const [index, one] of processes.entries()) {
        // Each process begins with a different box.
        for (const { id } of [...boxes.slice(index), ...boxes.slice(0, index)]) {
          for (const ms of [1, 8, 40, 400]) one.note(id, 'answered', ms);
          one.note(id, 'answered', null);
          one.note(id, '503', null);
        }
      }
      await Promise.all(processes.map((one) => one.store()));
    }
    for (const one of boxes) {
      expect(await storedOf(one)).toEqual([
        { outcome: '503', addedUpToMs: 0, count: 30 },
        ...[0, 1, 10, 50, 500].map((addedUpToMs) => ({ outcome: 'answered', addedUpToMs, count: 30 })),
      ]);
    }
    expect(lines).toEqual([]);
  });

  const noteOften = (measures: BoxMeasures) => {
    for (let n = 0; n < 500; n += 1) {
      measures.note(box.id, RELAY_OUTCOMES[n % RELAY_OUTCOMES.length] ?? '503', null);
    }
  };

  it('are stored five seconds after the first one', async () => {
    noteOften(server.app.boxMeasures);
    clock.advance(4_999);
    expect(await storedOf(box)).toEqual([]);
    clock.advance(1);
    await eventually(async () =>
      expect((await storedOf(box)).map(({ count }) => count)).toEqual(RELAY_OUTCOMES.map(() => 100)),
    );
  });

  it('are stored with one statement for any number of requests', async () => {
    const one = process();
    const refusals = refuseStatements(ADDING);
    try {
      noteOften(one);
      await one.store();
      expect(refusals.refused).toHaveLength(1);
    } finally {
      refusals.end();
    }
  });

  it('are added to the hour they happened in, with several statements for many boxes', async () => {
    const boxes = await manyBoxes();
    const one = process();
    for (const { id } of boxes) one.note(id, 'answered', 3);
    clock.advance(HOUR);
    for (const { id } of boxes) one.note(id, 'answered', 3);
    await one.store();
    const rows = await server.app.db.reader.boxMeasure.findMany({
      where: { boxId: { in: boxes.map(({ id }) => id) } },
    });
    expect(rows).toHaveLength(400);
    expect(new Set(rows.map(({ hour }) => hour)).size).toBe(2);
    expect(rows.every(({ count }) => count === 1)).toBe(true);
  });

  it('are logged if they cannot be stored, and stored with the next ones', async () => {
    const one = process();
    const refusals = refuseStatements(ADDING);
    try {
      one.note(box.id, '504', null);
      await one.store();
      expect(refusals.refused).toHaveLength(1);
      expect(readLines(lines).map(({ msg }) => msg)).toEqual(['Could not store the outcomes of requests to boxes']);
    } finally {
      refusals.end();
    }
    one.note(box.id, '504', null);
    await one.store();
    expect(await storedOf(box)).toEqual([{ outcome: '504', addedUpToMs: 0, count: 2 }]);
  });

  it('are stored again five seconds after a failure, even without new requests', async () => {
    const one = process();
    const refusals = refuseStatements(ADDING);
    try {
      one.note(box.id, '504', null);
      await one.store();
    } finally {
      refusals.end();
    }
    clock.advance(5_000);
    await eventually(async () => expect(await storedOf(box)).toMatchObject([{ outcome: '504', count: 1 }]));
  });

  it('are retried with one statement after a failure, and none is lost', async () => {
    const boxes = await manyBoxes();
    const one = process();
    for (const { id } of boxes) one.note(id, '503', null);
    const refusals = refuseStatements(ADDING);
    try {
      await one.store();
      expect(refusals.refused).toHaveLength(1);
    } finally {
      refusals.end();
    }
    await one.store();
    const ids = boxes.map(({ id }) => id);
    expect(await server.app.db.reader.boxMeasure.count({ where: { boxId: { in: ids } } })).toBe(200);
  });

  it('count at most once if it is unknown whether they were stored', async () => {
    const one = new BoxMeasures({ clock, log, callOfNobody: () => unanswered(server.app.callOfNobody()) });
    one.note(box.id, '504', null);
    await one.store();
    await one.store();
    expect(await storedOf(box)).toEqual([{ outcome: '504', addedUpToMs: 0, count: 1 }]);
  });

  it('are deleted with their box, and later ones do not block those of other boxes', async () => {
    const other = await enrolledBox(server.app);
    const one = process();
    one.note(box.id, '503', null);
    await one.store();
    await deleteBox(callOf(server.app, box.owner), box.id);
    expect(await storedOf(box)).toEqual([]);
    one.note(box.id, '503', null);
    one.note(other.id, '503', null);
    await one.store();
    expect([await storedOf(box), await storedOf(other)]).toEqual([[], [{ outcome: '503', addedUpToMs: 0, count: 1 }]]);
    expect(lines).toEqual([]);
  });

  it('are buffered for a limited number of boxes while the database refuses writes', async () => {
    const one = process();
    for (let id = 1n; id <= 10_000n; id += 1n) one.note(id, '503', null);
    one.note(box.id, '503', null);
    await one.store();
    expect(await storedOf(box)).toEqual([]);
    one.note(box.id, '503', null);
    await one.store();
    expect(await storedOf(box)).toHaveLength(1);
  });
});
