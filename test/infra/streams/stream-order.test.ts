import { afterEach, describe, expect, it } from 'vitest';
import type { Envelope } from '../../../src/infra/streams/envelope.js';
import { StreamOrder, type StreamOrderOptions } from '../../../src/infra/streams/stream-order.js';

const orders: StreamOrder<string>[] = [];
afterEach(() => {
  for (const order of orders.splice(0)) order.close();
});

function open(more: Partial<StreamOrderOptions<string>> = {}) {
  const heard: string[] = [];
  const order: StreamOrder<string> = new StreamOrder({
    isShared: true,
    deliver: ({ messages }) => heard.push(...messages),
    recover: async () => void heard.push('recover'),
    canRecover: () => true,
    onGap: () => heard.push('gap'),
    ...more,
  });
  orders.push(order);
  return { order, heard };
}

let count = 0;
function envelope(clock: number | null, origin = 'a'): Envelope<string> {
  count += 1;
  return { origin, count, previous: 0, clock, messages: [clock === null ? `${origin} no clock` : String(clock)] };
}

const soon = { timeout: 5_000, interval: 5 };

describe('a stream that only this process writes', () => {
  it('is delivered at once from the first clock that a transaction takes', () => {
    const { order, heard } = open({ isShared: false });
    order.expect(7);
    order.expect(8);
    order.take(envelope(8));
    expect(heard).toEqual([]);
    order.take(envelope(7));
    expect([heard, order.heard]).toEqual([['7', '8'], 8]);
  });

  it('is delivered at once if no transaction is open', () => {
    const { order, heard } = open({ isShared: false });
    order.take(envelope(7));
    order.take(envelope(8));
    expect(heard).toEqual(['7', '8']);
  });
});

describe('a stream that several processes write', () => {
  it('begins with the lowest clock of the first moments', async () => {
    const { order, heard } = open();
    order.take(envelope(9));
    order.take(envelope(8));
    expect([heard, order.heard]).toEqual([[], null]);
    await expect.poll(() => heard, soon).toEqual(['8', '9']);
    order.take(envelope(10));
    expect(heard).toEqual(['8', '9', '10']);
  });

  it('has a gap if an earlier change comes after those first moments, and ignores a repeat', async () => {
    const { order, heard } = open();
    order.take(envelope(5));
    await expect.poll(() => heard, soon).toEqual(['5']);
    order.take(envelope(5));
    order.take(envelope(3));
    order.take(envelope(2));
    expect(heard).toEqual(['5', 'gap']);
  });

  it('delivers an earlier change as long as no later one was delivered', () => {
    const { order, heard } = open();
    order.catchUp(5);
    order.take(envelope(5));
    order.take(envelope(6));
    order.take(envelope(4));
    expect(heard).toEqual(['5', '6', 'gap']);
  });

  it('asks for a missing change, and delivers what waited for it in order', async () => {
    const { order, heard } = open();
    order.take(envelope(1));
    await expect.poll(() => heard, soon).toEqual(['1']);
    order.take(envelope(4, 'b'));
    order.take(envelope(null, 'b'));
    order.take(envelope(null, 'c'));
    order.take(envelope(3));
    await expect.poll(() => heard, soon).toEqual(['1', 'c no clock', 'recover']);
    order.take(envelope(2));
    expect(heard).toEqual(['1', 'c no clock', 'recover', '2', '3', '4', 'b no clock']);
  });

  it('reports a gap after two seconds, and ignores the missing change afterwards', async () => {
    const { order, heard } = open({ recover: async () => {} });
    order.take(envelope(1));
    await expect.poll(() => heard, soon).toEqual(['1']);
    order.take(envelope(3));
    await expect.poll(() => heard, soon).toEqual(['1', 'gap', '3']);
    order.take(envelope(2));
    order.take(envelope(4));
    expect(heard).toEqual(['1', 'gap', '3', '4']);
  });

  it('reports no gap while the log is still read', async () => {
    let answer = () => {};
    const reading = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const recover = () => reading;
    const { order, heard } = open({ recover });
    order.take(envelope(1));
    await expect.poll(() => heard, soon).toEqual(['1']);
    order.take(envelope(3));
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    order.take(envelope(2));
    answer();
    expect(heard).toEqual(['1', '2', '3']);
  });

  it('waits while Redis is away, and then asks for what is missing', async () => {
    let canRecover = false;
    const { order, heard } = open({
      canRecover: () => canRecover,
      recover: async () => void (canRecover && order.take(envelope(2, 'b'))),
    });
    order.take(envelope(1));
    await expect.poll(() => heard, soon).toEqual(['1']);
    order.take(envelope(3));
    order.take(envelope(null));
    // An interaction must not wait for the end of an outage.
    expect(heard).toEqual(['1', 'a no clock']);
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect(heard).toEqual(['1', 'a no clock']);
    canRecover = true;
    await expect.poll(() => heard, soon).toEqual(['1', 'a no clock', '2', '3']);
  });

  it('delivers what waits without a clock when Redis goes away', async () => {
    let canRecover = true;
    const { order, heard } = open({ canRecover: () => canRecover, recover: async () => {} });
    order.take(envelope(1));
    await expect.poll(() => heard, soon).toEqual(['1']);
    order.take(envelope(3));
    order.take(envelope(null));
    expect(heard).toEqual(['1']);
    canRecover = false;
    await expect.poll(() => heard, soon).toEqual(['1', 'a no clock']);
  });

  it('skips missing changes once five thousand wait for Redis, and reports later ones when it is back', async () => {
    const { order, heard } = open({ canRecover: () => false, recover: async () => {} });
    order.take(envelope(1));
    await expect.poll(() => heard, soon).toEqual(['1']);
    for (let clock = 3; clock < 5_003; clock += 1) order.take(envelope(clock));
    await expect.poll(() => heard.length, soon).toBe(5_002);
    expect(heard[1]).toBe('gap');
    order.take(envelope(5_010));
    await expect.poll(() => heard.at(-1), soon).toBe('5010');
    order.resume();
    order.resume();
    expect(heard.slice(5_001)).toEqual(['5002', '5010', 'gap']);
  });

  it('reports the gaps soon after one together', async () => {
    const { order, heard } = open({ recover: async () => {} });
    order.take(envelope(1));
    await expect.poll(() => heard, soon).toEqual(['1']);
    for (const clock of [3, 5, 7]) order.take(envelope(clock));
    await expect.poll(() => heard, soon).toEqual(['1', 'gap', '3', '5', '7']);
    order.take(envelope(9));
    await new Promise((resolve) => setTimeout(resolve, 300));
    order.take(envelope(11));
    await expect.poll(() => heard.slice(5), soon).toEqual(['9', '11', 'gap']);
  });
});

describe('a change of which the events do not come', () => {
  it('is a gap in a quiet stream', async () => {
    const { order, heard } = open();
    order.take(envelope(1));
    await expect.poll(() => heard, soon).toEqual(['1']);
    order.catchUp(1);
    expect(heard).toEqual(['1']);
    order.catchUp(2);
    order.take(envelope(3));
    expect(heard).toEqual(['1', 'gap', '3']);
  });

  it('is none before the first that was heard', () => {
    const { order, heard } = open();
    order.catchUp(5);
    order.take(envelope(6));
    expect([heard, order.heard]).toEqual([['6'], 6]);
  });

  it('is left to those that wait for it', async () => {
    const { order, heard } = open({ recover: async () => {} });
    order.take(envelope(1));
    await expect.poll(() => heard, soon).toEqual(['1']);
    order.take(envelope(3));
    order.catchUp(3);
    expect(heard).toEqual(['1']);
    order.take(envelope(2));
    expect(heard).toEqual(['1', '2', '3']);
  });

  it('is a gap in a process that is alone, too', async () => {
    const { order, heard } = open({ isShared: false, recover: async () => {} });
    order.take(envelope(1));
    order.take(envelope(3));
    await expect.poll(() => heard, soon).toEqual(['1', 'gap', '3']);
  });
});
