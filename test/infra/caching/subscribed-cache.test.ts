import { expect, it } from 'vitest';
import { SubscribedCache } from '../../../src/infra/caching/subscribed-cache.js';
import { ManualClock } from '../../harness/clock.js';

function gatedCache() {
  const loads: { resolve(thing: string): void; reject(error: Error): void }[] = [];
  const cache = new SubscribedCache<string, object, { type: string }>({
    max: 10,
    clock: new ManualClock(),
    bus: { subscribe: () => ({ isComplete: true, ready: Promise.resolve(), close() {} }) },
    topicOf: String,
    read: () => new Promise((resolve, reject) => loads.push({ resolve, reject })),
    empty: () => ({}),
    onMessage() {},
  });
  return { cache, loads };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it.each(['succeeds', 'fails'])(
  'a forgotten value is loaded again once for all callers, after the load before it %s',
  async (how) => {
    const { cache, loads } = gatedCache();
    const outdated = cache.thing(1n).catch(() => 'failed');
    const asked = [1, 2, 3].flatMap(() => {
      cache.forget(1n);
      return [cache.thing(1n), cache.thing(1n)];
    });
    await turn();
    expect(loads).toHaveLength(1);
    if (how === 'succeeds') loads[0]?.resolve('old');
    else loads[0]?.reject(new Error('lost'));
    await turn();
    expect(loads).toHaveLength(2);
    loads[1]?.resolve('new');
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['new']));
    expect(await outdated).toBe(how === 'succeeds' ? 'old' : 'failed');

    cache.forget(1n);
    void cache.thing(1n);
    expect(loads).toHaveLength(3);
  },
);
