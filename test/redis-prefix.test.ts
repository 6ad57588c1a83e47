import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../src/infra/clock.js';
import { SharedKeys } from '../src/infra/crypto/shared-keys.js';
import { connectRedis } from '../src/infra/processes/redis.js';
import { messageOfEvent } from './harness/bus.js';
import { missingRedis, REDIS_URL } from './harness/redis.js';
import { startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';

const missing = await missingRedis();

/** Another database number separates keys but not channels. */
const OTHER_DATABASE = `${REDIS_URL.replace(/\/\d*$/, '')}/1`;

describe.skipIf(missing)(needing(missing, 'installations that share a Redis'), () => {
  const servers: TestServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  async function start(REDIS_PREFIX: string, url = REDIS_URL): Promise<TestServer> {
    const server = await startServer({ env: { REDIS_URL: url, REDIS_PREFIX, RATE_LIMITS: 'on' } });
    servers.push(server);
    return server;
  }

  /** Which servers get messages of a topic, once the last of them has the last message. */
  async function whoHears(from: TestServer, listeners: TestServer[]): Promise<boolean[]> {
    const topic = `team:${randomUUID()}`;
    const heard = listeners.map(() => false);
    const subscriptions = listeners.map(({ app }, index) =>
      app.bus.subscribe(topic, () => {
        heard[index] = true;
      }),
    );
    await Promise.all(subscriptions.map(({ ready }) => ready));
    from.app.bus.publish(topic, messageOfEvent(from.app, { type: 'TEAM_UPDATED', teamId: 1n }));
    await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toBe(true);
    for (const subscription of subscriptions) subscription.close();
    return heard;
  }

  it('share messages and limits if they have one prefix, and neither if they have two', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const [first, apart, second] = [await start(one), await start(other), await start(`${one}:`)];
    expect(await whoHears(first, [apart, second])).toEqual([false, true]);

    const limit = { name: randomUUID(), points: 2, seconds: 60 };
    const remaining = async ({ app }: TestServer) => (await app.limits.take(limit, 'ada')).remaining;
    expect([await remaining(first), await remaining(second), await remaining(apart)]).toEqual([1, 0, 1]);
  });

  it('are not separated by the number of a database, which does not apply to channels', async () => {
    const prefix = randomUUID();
    const [first, second] = [await start(prefix), await start(prefix, OTHER_DATABASE)];
    expect(await whoHears(first, [second])).toEqual([true]);
  });

  it('use no other names in it', async () => {
    const prefix = randomUUID();
    const watcher = new Redis(REDIS_URL);
    const server = await start(prefix);
    const name = randomUUID();
    await server.app.limits.take({ name, points: 2, seconds: 60 }, 'ada');
    const link = await connectRedis(REDIS_URL, systemClock, pino({ level: 'silent' }), `${prefix}:`);
    await new SharedKeys(link).claim(name, 'key', 60_000);
    const topic = `team:${name}`;
    await server.app.bus.subscribe(topic, () => {}).ready;
    expect((await watcher.keys(`*${name}*`)).sort()).toEqual([`${prefix}:key:${name}`, `${prefix}:limit:${name}:ada`]);
    expect(await watcher.pubsub('CHANNELS', `*${name}*`)).toEqual([`${prefix}:stream:${topic}`]);
    link.close();
    watcher.disconnect();
  });
});
