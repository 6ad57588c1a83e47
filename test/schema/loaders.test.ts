import { expect, it, onTestFinished } from 'vitest';
import { createLoader, KEYS_AT_ONCE } from '../../src/schema/loaders.js';
import { eachRound } from '../harness/turns.js';

it('a loader splits many keys into batches, and yields to the event loop between them', async () => {
  const pieces: { keys: number; turn: number }[] = [];
  let turn = 0;
  const end = eachRound(() => {
    turn += 1;
  });
  onTestFinished(end);
  const loader = createLoader(async (keys: number[]) => {
    pieces.push({ keys: keys.length, turn });
    return new Map(keys.map((key) => [key, -key]));
  }, 0);
  const keys = Array.from({ length: 2.5 * KEYS_AT_ONCE }, (_, n) => n + 1);
  expect(await Promise.all(keys.map((key) => loader.load(key)))).toEqual(keys.map((key) => -key));
  expect(pieces.map((piece) => piece.keys)).toEqual([KEYS_AT_ONCE, KEYS_AT_ONCE, KEYS_AT_ONCE / 2]);
  expect(new Set(pieces.map((piece) => piece.turn)).size).toBe(3);
  expect(await loader.load(7)).toBe(-7);
  expect(pieces).toHaveLength(3);
});

it('a batch that fails does not affect the other batches', async () => {
  const loader = createLoader(async (keys: number[]) => {
    if (keys.includes(1)) throw new Error('no such piece');
    return new Map(keys.map((key) => [key, key]));
  }, 0);
  const keys = Array.from({ length: 2 * KEYS_AT_ONCE }, (_, n) => n + 1);
  const outcomes = await Promise.allSettled(keys.map((key) => loader.load(key)));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(KEYS_AT_ONCE);
});

it('a loader without pending work loads keys without delay', async () => {
  const loader = createLoader(async (keys: number[]) => new Map(keys.map((key) => [key, key])), 0);
  let hasTurned = false;
  onTestFinished(
    eachRound(() => {
      hasTurned = true;
    }),
  );
  expect([await loader.load(1), await loader.load(2)]).toEqual([1, 2]);
  expect(hasTurned).toBe(false);
});
