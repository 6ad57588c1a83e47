import { expect, test } from 'vitest';
import { AdmissionControl } from '../../src/gateway/admission-control.js';
import { noRateLimits } from '../../src/infra/rate-limits.js';
import { ManualClock } from '../harness/clock.js';
import { MemoryHome } from '../harness/guild-home.js';

const FREE = 50;

function create() {
  const clock = new ManualClock();
  const guilds = new MemoryHome();
  return {
    clock,
    admissions: new AdmissionControl({ connectionClock: clock, guilds, limits: noRateLimits }, () => 0.5),
  };
}

async function countSettled(promises: readonly Promise<unknown>[]): Promise<number> {
  let settled = 0;
  for (const promise of promises) void promise.then(() => (settled += 1));
  await new Promise(setImmediate);
  return settled;
}

const refuse = (admissions: AdmissionControl, times: number) =>
  Array.from({ length: times }, () => admissions.delayRefusal());

test('few refusals are not delayed; more are by up to 2 s, until there are few again', async () => {
  const { clock, admissions } = create();
  expect(await countSettled(refuse(admissions, FREE + 1))).toBe(FREE + 1);
  const delayed = refuse(admissions, 3_000);
  expect(await countSettled(delayed)).toBe(0);
  clock.advance(1);
  expect(await countSettled(delayed)).toBe(1);
  clock.advance(499);
  expect(await countSettled(delayed)).toBe(500);
  clock.advance(499);
  expect(await countSettled(delayed)).toBe(999);
  clock.advance(1);
  expect(await countSettled(delayed)).toBe(3_000);
  clock.advance(4_000);
  expect(await countSettled(refuse(admissions, FREE))).toBe(FREE);
});

test('a bot with many IDENTIFYs at once does not hold up another', async () => {
  const { admissions } = create();
  const begun = new Map<bigint, number>();
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const identify = (botId: bigint) =>
    admissions.identify(botId, async () => {
      begun.set(botId, (begun.get(botId) ?? 0) + 1);
      await finished;
    });
  const ofLarge = Array.from({ length: 1_000 }, () => identify(1n));
  const ofSmall = identify(2n);
  await new Promise(setImmediate);
  expect([begun.get(1n), begun.get(2n)]).toEqual([128, 1]);
  finish();
  await Promise.all([...ofLarge, ofSmall]);
  expect(begun.get(1n)).toBe(1_000);
});
