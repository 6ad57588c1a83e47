import { expect, test } from 'vitest';
import { inTurns, nextTurn } from '../../src/infra/turns.js';
import { turnsDuring } from '../harness/turns.js';

test('work in pieces lets others have a turn before each piece', async () => {
  const done: number[] = [];
  const turns = await turnsDuring(() => inTurns(Array(10).keys(), 3, (item) => done.push(item)));
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(turns).toBeGreaterThanOrEqual(4);
});

test('a piece is waited for before the next one begins', async () => {
  const steps: string[] = [];
  await inTurns(['a', 'b'], 1, async (item) => {
    steps.push(`${item} begins`);
    await nextTurn();
    steps.push(`${item} ends`);
  });
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('one piece is done in a turn, however many work in pieces, and they take turns', async () => {
  const steps: string[] = [];
  const work = (name: string) => inTurns([1, 2, 3], 1, (item) => steps.push(`${name}${item}`));
  const turns = await turnsDuring(() => Promise.all([work('a'), work('b'), work('c')]));
  expect(steps).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']);
  expect(turns).toBeGreaterThanOrEqual(8);
});
