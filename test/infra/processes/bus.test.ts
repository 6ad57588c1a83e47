import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/infra/clock.js';
import { createBus } from '../../../src/infra/processes/bus.js';
import { connectRedis } from '../../../src/infra/processes/redis.js';
import { missingRedis, REDIS_URL } from '../../harness/redis.js';
import { needing } from '../../harness/skipping.js';

const missing = await missingRedis();
interface Message {
  type: 'TYPING_START';
  data: string;
}

const log = pino({ level: 'silent' });

test.skipIf(missing)(
  needing(missing, 'a listener that leaves a topic twice does not remove other listeners of the process'),
  async () => {
    const [here, there] = await Promise.all([0, 1].map(() => connectRedis(REDIS_URL, systemClock, log)));
    if (!here || !there) throw new Error('there are two connections');
    const bus = createBus<Message>(here, log);
    const topic = randomUUID();
    const heard: string[] = [];
    const leaving = bus.subscribe(topic, () => {});
    await bus.subscribe(topic, (message) => 'data' in message && heard.push(message.data)).ready;
    leaving.close();
    leaving.close();
    createBus<Message>(there, log).publish(topic, { type: 'TYPING_START', data: '{"n":1}' });
    await expect.poll(() => heard, { timeout: 8_000 }).toEqual(['{"n":1}']);
    here.close();
    there.close();
  },
);

test.skipIf(missing)(
  needing(missing, 'a listener that left a topic gets no more messages of it, and other listeners still do'),
  async () => {
    const [here, there] = await Promise.all([0, 1].map(() => connectRedis(REDIS_URL, systemClock, log)));
    if (!here || !there) throw new Error('there are two connections');
    const [bus, publisher] = [createBus<Message>(here, log), createBus<Message>(there, log)];
    const topic = randomUUID();
    const heard: string[] = [];
    const listen = async (name: string) => {
      const subscription = bus.subscribe(
        topic,
        (message) => 'data' in message && heard.push(`${name} ${message.data}`),
      );
      await subscription.ready;
      expect(subscription.isComplete).toBe(true);
      return subscription;
    };
    const deliver = (data: string) => publisher.deliver(topic, { type: 'TYPING_START', data });
    const [first, second] = [await listen('first'), await listen('second')];
    first.close();
    expect(await deliver('1')).toBe('heard');
    await expect.poll(() => heard, { timeout: 8_000 }).toEqual(['second 1']);
    second.close();
    await expect.poll(() => deliver('2'), { timeout: 8_000 }).toBe('unheard');
    const third = await listen('third');
    expect(await deliver('3')).toBe('heard');
    await expect.poll(() => heard, { timeout: 8_000 }).toEqual(['second 1', 'third 3']);
    third.close();
    here.close();
    there.close();
  },
);

test('without Redis, a message is heard if a listener of this process has its topic', async () => {
  const bus = createBus<Message>(null, log);
  const subscription = bus.subscribe('topic', () => {});
  expect(await bus.deliver('topic', { type: 'TYPING_START', data: '1' })).toBe('heard');
  subscription.close();
  expect(await bus.deliver('topic', { type: 'TYPING_START', data: '2' })).toBe('unheard');
});
