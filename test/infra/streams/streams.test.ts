import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/infra/clock.js';
import { connectRedis } from '../../../src/infra/processes/redis.js';
import { STREAM_GAP } from '../../../src/infra/streams/stream.js';
import { createStreams, type Streams } from '../../../src/infra/streams/streams.js';
import { layLine } from '../../harness/line.js';
import { missingForOwnRedis, missingRedis, prepareRedis, REDIS_URL } from '../../harness/redis.js';
import { needing } from '../../harness/skipping.js';

interface Said {
  type: 'SAID';
  text: string;
}

const missing = await missingRedis();
const log = pino({ level: 'silent' });
const said = (text: string): Said => ({ type: 'SAID', text });
const soon = { timeout: 8_000, interval: 5 };

/** Events that a process keeps for Redis. */
const MOST_WAITING = 10_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function openProcess(prefix: string, url = REDIS_URL): Promise<Streams<Said>> {
  const redis = await connectRedis(url, systemClock, log, prefix);
  closing.push(() => redis.close());
  return createStreams<Said>({
    log,
    redis,
    order: 'byClock',
    decidesAccess: () => false,
    changesOf: ({ text }) => [text.toLowerCase()],
    withoutOutdated: (message) => message,
    stateOf: () => undefined,
    onGap() {},
  });
}

/** Two processes. The second reaches Redis through `line`, and `heard` is what it hears of a stream. */
async function openTwo(topic = 'guild:1', url = REDIS_URL) {
  const prefix = `test-${randomUUID()}:`;
  const line = await layLine(url, 6379);
  closing.push(() => line.close());
  const there = await openProcess(prefix, url);
  const here = await openProcess(prefix, line.url);
  const heard: string[] = [];
  const subscription = here.subscribe(topic, (message) =>
    heard.push(message.type === STREAM_GAP ? 'gap' : message.text),
  );
  await subscription.ready;
  let clock = 0;
  const tell = (text: string, from = there) => {
    clock += 1;
    from.publishCommitted(topic, clock, [said(text)]);
  };
  tell('first');
  await expect.poll(() => heard, soon).toEqual(['first']);
  return { prefix, topic, line, here, there, heard, subscription, tell };
}

describe.skipIf(missing)(needing(missing, 'a process that shares streams with another'), () => {
  it('hears what was published while it had no Redis, in order with its own', async () => {
    const { topic, line, here, there, heard, subscription, tell } = await openTwo();
    line.cut();
    await expect.poll(() => subscription.isComplete, soon).toBe(false);
    tell('theirs');
    tell('ours', here);
    there.publish(topic, said('without a commit'));
    line.mend();
    await expect.poll(() => heard, soon).toEqual(['first', 'theirs', 'ours', 'without a commit']);
  });

  it('hears a stream as long as one of its subscribers stays', async () => {
    const { topic, here, heard, tell } = await openTwo();
    const other = here.subscribe(topic, () => {});
    await other.ready;
    other.close();
    tell('second');
    await expect.poll(() => heard, soon).toEqual(['first', 'second']);
  });

  it('hears each event without a commit once, whichever the log returns again', async () => {
    const { topic, line, there, heard, subscription } = await openTwo('boxes');
    line.cut();
    await expect.poll(() => subscription.isComplete, soon).toBe(false);
    there.publish(topic, said('second'));
    line.mend();
    await expect.poll(() => heard, soon).toContain('second');
    there.publish(topic, said('third'));
    await expect.poll(() => heard, soon).toContain('third');
    expect(heard).toEqual(['first', 'second', 'third']);
  });

  it('reports a gap if Redis has lost the log during that time', async () => {
    const { prefix, line, here, heard, subscription, tell } = await openTwo();
    line.cut();
    await expect.poll(() => subscription.isComplete, soon).toBe(false);
    tell('lost');
    const redis = new Redis(REDIS_URL);
    await expect.poll(() => redis.del(`${prefix}log:guild:1`), soon).toBe(1);
    redis.disconnect();
    line.mend();
    tell('ours', here);
    await expect.poll(() => heard, soon).toEqual(['first', 'gap', 'ours']);
  });

  it('reports a gap for an event that it cannot read, and hears the next', async () => {
    const { prefix, heard, tell } = await openTwo();
    const redis = new Redis(REDIS_URL);
    await redis.publish(`${prefix}stream:guild:1`, '{"from":"another version"}');
    redis.disconnect();
    await expect.poll(() => heard, soon).toEqual(['first', 'gap']);
    tell('second');
    await expect.poll(() => heard, soon).toEqual(['first', 'gap', 'second']);
  });

  it('hears when an event was published, unless an earlier version of the program has sent it', async () => {
    const { prefix, topic, here, tell } = await openTwo();
    const times: (number | undefined)[] = [];
    here.subscribe(topic, (_message, place) => times.push(place?.publishedAt));
    const since = Date.now();
    tell('second');
    await expect.poll(() => times, soon).toHaveLength(1);
    expect(times[0]).toBeGreaterThanOrEqual(since);
    expect(times[0]).toBeLessThanOrEqual(Date.now());
    const redis = new Redis(REDIS_URL);
    const earlier = `["earlier",1,0,3,0,0]\n${JSON.stringify([said('third')])}`;
    await redis.publish(`${prefix}stream:${topic}`, `${Date.now()}-0 ${earlier}`);
    redis.disconnect();
    await expect.poll(() => times, soon).toEqual([times[0], undefined]);
  });

  it('survives an event whose parts it does not know, and hears the next', async () => {
    const { topic, there, heard, tell } = await openTwo();
    there.publishCommitted(topic, 2, [{ type: 'SAID' } as Said]);
    there.publishCommitted(topic, 3, [said('third')]);
    await expect.poll(() => heard, soon).toEqual(['first', 'third']);
    tell('a repeat');
    expect(heard).toEqual(['first', 'third']);
  });

  it('reports a gap if another had to drop events during an outage, even of one that it never heard', async () => {
    const { here, there, line, subscription } = await openTwo();
    const heard: string[] = [];
    await there.subscribe('boxes', (message) => heard.push(message.type)).ready;
    line.cut();
    await expect.poll(() => subscription.isComplete, soon).toBe(false);
    for (let n = 0; n <= MOST_WAITING; n += 1) here.publish('boxes', said(`${n}`));
    line.mend();
    await expect.poll(() => heard, soon).toContain(STREAM_GAP);
  });

  it('notices committed changes of which the events do not come', async () => {
    const { topic, here, heard } = await openTwo();
    await here.findLost(async () => new Map([[topic, 1]]), 100);
    expect(heard).toEqual(['first']);
    // Its publisher ended before it published.
    await here.findLost(async () => new Map([[topic, 2]]), 100);
    expect(heard).toEqual(['first', 'gap']);
  });
});

const missingOwn = missingForOwnRedis();

describe.skipIf(missingOwn)(needing(missingOwn, 'a Redis'), () => {
  it('passes events on even if it refuses to store them', async () => {
    const redis = await openRedis('--maxmemory', '1kb', '--maxmemory-policy', 'noeviction');
    const { heard, tell } = await openTwo('guild:1', redis.url);
    tell('second');
    await expect.poll(() => heard, soon).toEqual(['first', 'second']);
  });

  it('causes a gap after an outage if it hides whether it has restarted', async () => {
    const redis = await openRedis('--user', 'default', 'on', 'nopass', '~*', '&*', '+@all', '-info');
    const { heard, line, subscription } = await openTwo('boxes', redis.url);
    line.cut();
    await expect.poll(() => subscription.isComplete, soon).toBe(false);
    line.mend();
    await expect.poll(() => heard, soon).toEqual(['first', 'gap']);
  });
});

async function openRedis(...options: string[]) {
  const redis = await prepareRedis();
  closing.push(() => redis.stop());
  await redis.start(...options);
  return redis;
}
