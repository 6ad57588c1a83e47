import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CommitOrder } from '../../src/domain/commit-order.js';

/** A commit whose answer comes when it is let. */
function commit(order: CommitOrder, told: string[], name: string) {
  let answer: () => void = () => {};
  let fail: () => void = () => {};
  const answered = new Promise<void>((resolve, reject) => {
    answer = resolve;
    fail = () => reject(new Error(`${name} failed`));
  });
  const transact = (asksForCommit: () => void) => {
    asksForCommit();
    return answered;
  };
  return { answer, fail, done: order.tellAfterOthers(transact, () => void told.push(name)) };
}

test('what transactions did is told in the order in which their commits were asked for, whoever is answered first', async () => {
  const [order, told]: [CommitOrder, string[]] = [new CommitOrder(), []];
  const first = commit(order, told, 'first');
  const second = commit(order, told, 'second');
  const statement = order.allTold().then(() => told.push('statement'));
  const later = commit(order, told, 'later');
  later.answer();
  second.answer();
  first.answer();
  await Promise.all([first.done, second.done, later.done, statement]);
  expect(told.filter((name) => name !== 'statement')).toEqual(['first', 'second', 'later']);
  expect(told.indexOf('statement')).toBeGreaterThan(told.indexOf('second'));
});

test('nobody waits for a commit that failed, or for one that has nothing to tell', async () => {
  const [order, told]: [CommitOrder, string[]] = [new CommitOrder(), []];
  void order.tellAfterOthers(
    () => new Promise(() => {}),
    () => void told.push('never'),
  );
  const failing = commit(order, told, 'failing');
  const second = commit(order, told, 'second');
  second.answer();
  failing.fail();
  await expect(failing.done).rejects.toThrow('failing failed');
  await second.done;
  await order.allTold();
  expect(told).toEqual(['second']);
});

test('who comes after a commit that failed waits for those before it all the same', async () => {
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
