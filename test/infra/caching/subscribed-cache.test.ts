import { pino } from 'pino';
import { expect, it } from 'vitest';
import { SubscribedCache } from '../../../src/infra/caching/subscribed-cache.js';
import { createStreams } from '../../../src/infra/streams/streams.js';
import { topics } from '../../../src/infra/streams/topics.js';
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

it('a change reaches the cache before it is its turn', () => {
  const streams = createStreams<{ type: 'SAID'; text: string }>({
    log: pino({ level: 'silent' }),
    redis: null,
    order: 'byClock',
    decidesAccess: () => false,
    changesOf: () => [],
    withoutOutdated: (message) => message,
    stateOf: () => undefined,
    onGap() {},
  });
  const told: string[] = [];
  const delivered: string[] = [];
  const cache = new SubscribedCache<string, object, { type: 'SAID'; text: string }>({
    max: 10,
    clock: new ManualClock(),
    bus: streams,
    topicOf: topics.guild,
    read: () => Promise.resolve('thing'),
    empty: () => ({}),
    onMessage: (_, { text }) => told.push(text),
  });
  cache.of(1n);
  streams.subscribe(topics.guild(1n), (message) => 'text' in message && delivered.push(message.text));
  for (const clock of [1, 3])
    streams.publishCommitted(topics.guild(1n), clock, [{ type: 'SAID', text: `change ${clock}` }]);
  expect(delivered).toEqual(['change 1']);
  expect(told).toEqual(['change 1', 'change 3']);
});
