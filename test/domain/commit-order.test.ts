import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CommitOrder, type TakeTurn } from '../../src/domain/commit-order.js';

const HERE = 1n;
const ELSEWHERE = 2n;

/** A commit that returns on demand. */
function commit(order: CommitOrder, told: string[], name: string, places = [HERE]) {
  let answer: () => void = () => {};
  let fail: () => void = () => {};
  const answered = new Promise<void>((resolve, reject) => {
    answer = resolve;
    fail = () => reject(new Error(`${name} failed`));
  });
  const transact = (takeTurn: TakeTurn) => {
    takeTurn(places);
    return answered;
  };
  return { answer, fail, done: order.tellInTurn(transact, () => void told.push(name)) };
}

test('the events of a place are published in the order of its turns, whichever commit returns first', async () => {
  const [order, told]: [CommitOrder, string[]] = [new CommitOrder(), []];
  const first = commit(order, told, 'first');
  const second = commit(order, told, 'second');
  second.answer();
  await setImmediate();
  expect(told).toEqual([]);
  first.answer();
  await Promise.all([first.done, second.done]);
  expect(told).toEqual(['first', 'second']);
});

test('a commit does not wait for other places, and one in several places waits for all earlier ones there', async () => {
  const [order, told]: [CommitOrder, string[]] = [new CommitOrder(), []];
  const here = commit(order, told, 'here');
  const elsewhere = commit(order, told, 'elsewhere', [ELSEWHERE]);
  const both = commit(order, told, 'both', [HERE, ELSEWHERE]);
  const afterBoth = commit(order, told, 'after both', [ELSEWHERE]);
  for (const { answer } of [afterBoth, both, elsewhere]) answer();
  await elsewhere.done;
  await setImmediate();
  expect(told).toEqual(['elsewhere']);
  here.answer();
  await Promise.all([both.done, afterBoth.done]);
  expect(told).toEqual(['elsewhere', 'here', 'both', 'after both']);
});

test('a commit does not wait for one that failed, or for one without events', async () => {
  const [order, told]: [CommitOrder, string[]] = [new CommitOrder(), []];
  void order.tellInTurn(
    () => new Promise(() => {}),
    () => void told.push('never'),
  );
  const failing = commit(order, told, 'failing');
  const second = commit(order, told, 'second');
  second.answer();
  failing.fail();
  await expect(failing.done).rejects.toThrow('failing failed');
  await second.done;
  expect(told).toEqual(['second']);
});

test('a commit after one that failed still waits for those before it', async () => {
  const [order, told]: [CommitOrder, string[]] = [new CommitOrder(), []];
  const first = commit(order, told, 'first');
  const failing = commit(order, told, 'failing');
  const third = commit(order, told, 'third');
  failing.fail();
  await expect(failing.done).rejects.toThrow('failing failed');
  third.answer();
  await setImmediate();
  expect(told).toEqual([]);
  first.answer();
  await Promise.all([first.done, third.done]);
  expect(told).toEqual(['first', 'third']);
});
