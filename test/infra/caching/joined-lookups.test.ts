import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { joinLookups } from '../../../src/infra/caching/joined-lookups.js';

interface Question {
  keys: number[];
  answer(exists: (key: number) => boolean): void;
  fail(error: Error): void;
}

function questions(gather?: () => Promise<void>) {
  const asked: Question[] = [];
  const look = joinLookups<number, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        asked.push({
          keys,
          answer: (exists) => resolve(new Map(keys.filter(exists).map((key) => [key, `value of ${key}`]))),
          fail: reject,
        });
      }),
    gather,
  );
  return { asked, look };
}

const everything = () => true;

/** A batch begins in the turn after its first request. */
async function turn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

describe('joined lookups', () => {
  test('that are requested while one runs go together in the next one, however many turns that takes', async () => {
    const { asked, look } = questions();
    const first = look(0);
    await turn();
    const others: Promise<string | null>[] = [];
    for (let key = 1; key <= 200; key += 1) {
      others.push(look(key), look(key));
      await turn();
    }
    expect(asked.map(({ keys }) => keys)).toEqual([[0]]);
    asked[0]?.answer(everything);
    expect(await first).toBe('value of 0');
    await turn();
    expect(asked).toHaveLength(2);
    expect(asked[1]?.keys).toHaveLength(200);
    asked[1]?.answer((key) => key !== 7);
    const found = await Promise.all(others);
    expect(found.filter((value) => value === null)).toHaveLength(2);
    expect(found.slice(0, 2)).toEqual(['value of 1', 'value of 1']);
  });

  test('with more keys than a database accepts are sent in batches, one after the other', async () => {
    const { asked, look } = questions();
    const all = Promise.all(Array.from({ length: 1_200 }, (_, key) => look(key)));
    for (let piece = 0; piece < 3; piece += 1) {
      await turn();
      expect(asked).toHaveLength(piece + 1);
      asked[piece]?.answer(everything);
    }
    expect((await all).every((value) => value !== null)).toBe(true);
    expect(asked.map(({ keys }) => keys.length)).toEqual([500, 500, 200]);
  });

  test('wait a moment for more keys after a lookup of a made-up key', async () => {
    let endMoment: () => void = () => {};
    const moment = new Promise<void>((resolve) => {
      endMoment = resolve;
    });
    const { asked, look } = questions(() => moment);
    const madeUp = look(0);
    await turn();
    asked[0]?.answer(() => false);
    expect(await madeUp).toBeNull();
    const found: Promise<string | null>[] = [];
    for (let key = 1; key <= 50; key += 1) {
      found.push(look(key));
      await turn();
    }
    expect(asked).toHaveLength(1);
    endMoment();
    await turn();
    expect(asked).toHaveLength(2);
    expect(asked[1]?.keys).toHaveLength(50);
    asked[1]?.answer(everything);
    await Promise.all(found);

    const next = look(51);
    await turn();
    expect(asked).toHaveLength(3);
    asked[2]?.answer(everything);
    expect(await next).toBe('value of 51');
  });

  test('fail for their own callers only, and the next one is sent', async () => {
    const { asked, look } = questions();
    const failing = look(1);
    await turn();
    const next = look(2);
    asked[0]?.fail(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    await turn();
    asked[1]?.answer(everything);
    expect(await next).toBe('value of 2');
  });

  test('of one key are one lookup, however many callers wait', async () => {
    const { asked, look } = questions();
    const found = Promise.all(Array.from({ length: 2_000 }, () => look(1)));
    await turn();
    expect(asked.map(({ keys }) => keys)).toEqual([[1]]);
    const later = look(1);
    asked[0]?.answer(everything);
    expect(new Set(await found)).toEqual(new Set(['value of 1']));
    await turn();
    asked[1]?.answer(() => false);
    expect(await later).toBeNull();
  });
});
