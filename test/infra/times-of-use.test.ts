import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { TimesOfUse } from '../../src/infra/times-of-use.js';
import { ManualClock } from '../harness/clock.js';
import { readableLog } from '../harness/log.js';

const MINUTE = 60_000;

let clock: ManualClock;
let stored: string[];
let fails: boolean;
let uses: TimesOfUse<string>;
const { log, lines } = readableLog('warn');
beforeEach(() => {
  clock = new ManualClock(0);
  stored = [];
  fails = false;
  uses = new TimesOfUse({ clock, log }, async (id, usedAt) => {
    if (fails) throw new Error('the database is away');
    stored.push(`${id} ${usedAt.getTime()}`);
  });
});

async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await setImmediate();
}

test('a first use is stored at once, and never while it is recorded', async () => {
  uses.note('a');
  expect(stored).toEqual([]);
  await pass(0);
  expect(stored).toEqual(['a 0']);
});

test('a secret in constant use is stored once a minute, with the last use', async () => {
  for (let second = 0; second < 150; second += 1) {
    uses.note('a');
    uses.note('b');
    await pass(1_000);
  }
  expect(stored).toEqual(['a 0', 'b 0', 'a 59000', 'b 59000', 'a 119000', 'b 119000']);
});

test('uses before a stop are stored by the stop, and none twice', async () => {
  uses.note('a');
  await pass(1_000);
  uses.note('a');
  await uses.settle();
  expect(stored).toEqual(['a 0', 'a 1000']);
  await uses.settle();
  await pass(2 * MINUTE);
  expect(stored).toHaveLength(2);
  expect(clock.waiting).toBe(0);
});

test('a use that cannot be stored is tried again a minute later, unless there is a later use, and is logged', async () => {
  fails = true;
  uses.note('a');
  uses.note('b');
  await pass(0);
  expect(lines).toHaveLength(1);
  await pass(1_000);
  uses.note('b');
  fails = false;
  await pass(MINUTE);
  expect(stored).toEqual(['a 0', 'b 1000']);
});
