import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseSnowflake,
  SNOWFLAKE_EPOCH_MS,
  snowflakeAt,
  snowflakes,
  snowflakeTime,
} from '../../../src/infra/ids/ids.js';
import { ManualClock } from '../../harness/clock.js';
import { signUp } from '../../harness/people.js';
import { migratedDatabase, migratedFolder, startServer } from '../../harness/server.js';

const now = fc.integer({ min: Date.UTC(2016, 0), max: Date.UTC(2080, 0) });
const worker = fc.integer({ min: 0, max: 1023 });

describe('snowflakes', () => {
  test('have 42 bits of time, 10 of worker and 12 of sequence, in 17 to 19 digits', () => {
    fc.assert(
      fc.property(now, worker, fc.integer({ min: 1, max: 50 }), (time, number, count) => {
        const next = snowflakes(new ManualClock(time), number);
        const ids = Array.from({ length: count }, next);
        const id = ids.at(-1) ?? 0n;
        expect(Number(id >> 22n) + SNOWFLAKE_EPOCH_MS).toBe(time);
        expect(Number((id >> 12n) & 0x3ffn)).toBe(number);
        expect(Number(id & 0xfffn)).toBe(count - 1);
        expect(String(id)).toMatch(/^\d{17,19}$/);
        expect(snowflakeTime(id)).toBe(time);
        expect(snowflakeAt(time) <= id && id < snowflakeAt(time + 1)).toBe(true);
      }),
    );
  });

  test('always increase, whatever the clock does', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: 1, max: 40 })));
    fc.assert(
      fc.property(now, steps, (start, walk) => {
        let time = start;
        const next = snowflakes({ now: () => time, after: () => ({ cancel() {} }) }, 1);
        let last = 0n;
        for (const [step, count] of walk) {
          time += step;
          for (let n = 0; n < count; n += 1) {
            const id = next();
            expect(id > last).toBe(true);
            last = id;
          }
        }
      }),
    );
  });

  test('are unique beyond 4096 in one millisecond', () => {
    const next = snowflakes(new ManualClock(), 0);
    const ids = Array.from({ length: 10_000 }, next);
    expect(new Set(ids).size).toBe(10_000);
    expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
  });

  test('of two workers are never the same', () => {
    const clock = new ManualClock();
    const [one, two] = [snowflakes(clock, 1), snowflakes(clock, 2)];
    const ids = Array.from({ length: 2000 }, () => [one(), two()]).flat();
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([-1, 1024, 1.5, Number.NaN])('of worker %s are refused', (number) => {
    expect(() => snowflakes(new ManualClock(), number)).toThrow(RangeError);
  });
});

test('a single process whose clock was set back while it did not run continues after its newest row', async () => {
  const database = await migratedDatabase();
  const folder = await migratedFolder();
  const env = { DATA_DIR: folder, ...(database ? { DATABASE_URL: database.url } : {}) };
  const now = Date.now();
  const before = await startServer({ env, clock: new ManualClock(now) });
  const ada = await signUp(before, 'ada');
  const newest = before.app.nextId();
  await before.app.db.writer.auditEntry.create({ data: { id: newest, action: 'test', changes: {} } });
  await before.stop();
  const clock = new ManualClock(now - 3_600_000);
  const after = await startServer({ env, clock });
  expect(after.app.nextId() > newest && newest > BigInt(ada.id)).toBe(true);
  clock.advance(7_200_000);
  expect(snowflakeTime(after.app.nextId())).toBe(clock.now());
  await after.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('an id in text', () => {
  const MAX = 2n ** 63n - 1n;

  test('is a number that the databases can store, in one notation', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX }), fc.integer({ min: 1, max: 40 }), (id, zeros) => {
        expect(parseSnowflake(String(id))).toBe(id);
        expect(parseSnowflake('0'.repeat(zeros) + id)).toBeUndefined();
      }),
      {
        examples: [
          [0n, 1],
          [MAX, 1],
        ],
      },
    );
  });

  test('is unknown beyond their range', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: MAX + 1n, max: 10n ** 60n }), (id) => {
        expect(parseSnowflake(String(id))).toBeUndefined();
      }),
      { examples: [[MAX + 1n], [2n ** 64n], [9_999_999_999_999_999_999n]] },
    );
  });

  test('has digits only', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!/^\d+$/.test(text));
        expect(parseSnowflake(text)).toBeUndefined();
      }),
      { examples: [[''], ['-1'], ['+1'], ['1.0'], ['0x1'], ['1\n'], ['\u0661'], [' 1']] },
    );
  });
});
