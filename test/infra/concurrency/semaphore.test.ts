import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { yieldOnce } from '../../../src/infra/concurrency/event-loop.js';
import { FairSemaphore, KeyedSemaphore, type Release, Semaphore } from '../../../src/infra/concurrency/semaphore.js';

describe('slots', () => {
  test('are never taken by more callers at once than there are, first come first served, and none is lost', async () => {
    const cases = fc.record({
      size: fc.integer({ min: 1, max: 4 }),
      line: fc.integer({ min: 0, max: 6 }),
      rounds: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 20 }),
    });
    const property = fc.asyncProperty(cases, async ({ size, line, rounds }) => {
      const semaphore = new Semaphore(size, line);
      const begun: number[] = [];
      let atOnce = 0;
      let most = 0;
      const work = async (name: number, length: number) => {
        const turn = semaphore.take();
        if (!turn) return 'refused';
        const release = await turn;
        begun.push(name);
        atOnce += 1;
        most = Math.max(most, atOnce);
        for (let n = 0; n < length; n += 1) await yieldOnce();
        atOnce -= 1;
        release();
        release();
        return 'done';
      };
      const ends = await Promise.all(rounds.map((length, name) => work(name, length)));
      const room = Math.min(rounds.length, size + line);
      expect(ends).toEqual(rounds.map((_, name) => (name < room ? 'done' : 'refused')));
      expect(begun).toEqual(Array.from({ length: room }, (_, name) => name));
      expect(most).toBe(Math.min(room, size));
      expect(semaphore.isIdle).toBe(true);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test('of each key are independent of those of other keys', async () => {
    const slots = new KeyedSemaphore<string>(1);
    const release = await slots.take('busy');
    let hasCome = false;
    const next = slots.take('busy').then((releaseNext) => {
      hasCome = true;
      return releaseNext;
    });
    (await slots.take('idle'))();
    await yieldOnce();
    expect(hasCome).toBe(false);
    release();
    release();
    (await next)();
    (await slots.take('busy'))();
  });
});

describe('shared slots', () => {
  test('are limited, first come first served for each user, and none is lost', async () => {
    const cases = fc.record({
      size: fc.integer({ min: 1, max: 6 }),
      users: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 }),
    });
    const property = fc.asyncProperty(cases, async ({ size, users }) => {
      const slots = new FairSemaphore<number>(size, 100);
      const begun = new Map<number, number[]>();
      let [atOnce, most] = [0, 0];
      const work = async (user: number, name: number) => {
        const release = await slots.take(user);
        begun.set(user, [...(begun.get(user) ?? []), name]);
        atOnce += 1;
        most = Math.max(most, atOnce);
        await yieldOnce();
        atOnce -= 1;
        release?.();
        release?.();
      };
      await Promise.all(users.map(work));
      expect(most).toBeLessThanOrEqual(size);
      for (const names of begun.values()) expect(names).toEqual([...names].sort((a, b) => a - b));
      expect([...begun.values()].flat().length).toBe(users.length);
      expect(slots.isIdle).toBe(true);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test('keep one for a user without any, and waiting users take turns', async () => {
    const full = new FairSemaphore<string>(1, 3, 2);
    const release = await full.take('a');
    const waiting = [full.take('a'), full.take('b')];
    expect([waiting.includes(null), full.take('c')]).toEqual([false, null]);
    release?.();
    (await waiting[0])?.();
    (await waiting[1])?.();
    expect(full.isIdle).toBe(true);
    const slots = new FairSemaphore<string>(4, 3);
    const order: string[] = [];
    const take = (user: string) =>
      slots.take(user)?.then((release) => {
        order.push(user);
        return release;
      });
    const busy = ['busy', 'busy', 'busy', 'busy', 'busy'].map(take);
    expect(take('busy')).toBeUndefined();
    const others = ['a', 'b', 'b'].map(take);
    await yieldOnce();
    expect(order).toEqual(['busy', 'busy', 'a', 'b']);
    const releases: (Release | undefined)[] = [await busy[0], await busy[1], await others[0], await others[1]];
    for (const release of releases) {
      release?.();
      await yieldOnce();
    }
    expect(order).toEqual(['busy', 'busy', 'a', 'b', 'busy', 'b', 'busy']);
  });
});
