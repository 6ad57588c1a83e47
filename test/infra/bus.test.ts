import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createRedisBus } from '../../src/infra/bus.js';
import { systemClock } from '../../src/infra/clock.js';
import { connectRedis } from '../../src/infra/redis.js';
import { missingRedis, REDIS_URL } from '../harness/redis.js';
import { needing } from '../harness/skipping.js';

const missing = await missingRedis();
interface Message {
  type: 'TYPING_START';
  data: string;
}

const log = pino({ level: 'silent' });

test.skipIf(missing)(needing(missing, 'who leaves a topic twice leaves others of the process in it'), async () => {
  const [here, there] = await Promise.all([0, 1].map(() => connectRedis(REDIS_URL, systemClock, log)));
  if (!here || !there) throw new Error('there are two connections');
  const bus = createRedisBus<Message>(here, log);
  const topic = randomUUID();
  const heard: string[] = [];
  const leaving = bus.subscribe(topic, () => {});
  await bus.subscribe(topic, (message) => 'data' in message && heard.push(message.data)).ready;
  leaving.close();
  leaving.close();
  createRedisBus<Message>(there, log).publish(topic, { type: 'TYPING_START', data: '{"n":1}' });
  await expect.poll(() => heard, { timeout: 8_000 }).toEqual(['{"n":1}']);
  here.close();
  there.close();
});
