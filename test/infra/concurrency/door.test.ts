import { expect, it } from 'vitest';
import { Door } from '../../../src/infra/concurrency/door.js';

const refusal = new Error('closed');

it('a door lets work pass, and returns its outcome', async () => {
  const door = new Door(() => refusal);
  expect(await door.pass(async () => 1)).toBe(1);
  const fault = new Error('of the work');
  await expect(door.pass(() => Promise.reject(fault))).rejects.toBe(fault);
});

it('a door closes once the running work is done, and refuses more', async () => {
  const door = new Door(() => refusal);
  const ends: (() => void)[] = [];
  const running = [1, 2].map(() => door.pass(() => new Promise<void>((resolve) => ends.push(resolve))));
  let isClosed = false;
  const closing = door.close().then(() => {
    isClosed = true;
  });
  await expect(door.pass(async () => {})).rejects.toBe(refusal);
  ends[0]!();
  await running[0];
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  ends[1]!();
  await closing;
});

it('a door without work closes at once', async () => {
  await new Door(() => refusal).close();
});
