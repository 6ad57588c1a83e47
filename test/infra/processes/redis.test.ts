import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StartError } from '../../../src/config.js';
import { systemClock } from '../../../src/infra/clock.js';
import { connectRedis } from '../../../src/infra/processes/redis.js';
import { readableLog, readLines } from '../../harness/log.js';
import { missingForOwnRedis, type OwnRedis, prepareRedis } from '../../harness/redis.js';
import { needing } from '../../harness/skipping.js';

const missing = missingForOwnRedis();

describe.skipIf(missing)(needing(missing, 'a start with a Redis'), () => {
  let redis: OwnRedis;
  let place: string;
  const written: unknown[] = [];

  beforeEach(async () => {
    redis = await prepareRedis();
    place = redis.url.replace('redis://', '');
    for (const method of ['warn', 'error', 'log'] as const) {
      vi.spyOn(console, method).mockImplementation((...words) => void written.push(words));
    }
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await redis.stop();
    expect(written.splice(0)).toEqual([]);
  });

  const connect = async (url: string) => {
    const { log, lines } = readableLog('info');
    const link = await connectRedis(url, systemClock, log);
    const state = {
      isAway: link.isAway(),
      pong: await link.commands.ping(),
      said: readLines(lines).map(({ msg }) => msg),
    };
    link.close();
    return state;
  };
  const refusal = async (url: string) => {
    const { log, lines } = readableLog('info');
    const error = await connectRedis(url, systemClock, log).catch((fault: unknown) => fault);
    if (!(error instanceof StartError)) throw new Error('it was not refused', { cause: error });
    expect(lines).toEqual([]);
    return error.message;
  };

  it('is refused in one line if Redis has no database with the number', async () => {
    await redis.start();
    expect(await refusal(`${redis.url}/99`)).toBe(
      `the Redis server of REDIS_URL (${place}, database 99) refused this process: ERR DB index is out of range`,
    );
  });

  it('is refused in one line, without the password, if the password is wrong or missing', async () => {
    await redis.start('--requirepass', 'opensesame');
    const wrong = await refusal(`redis://:wrong@${place}`);
    expect(wrong).toContain(`(${place}, database 0) refused this process: WRONGPASS`);
    expect(wrong).not.toContain('wrong@');
    expect(await refusal(`redis://nobody:wrong@${place}`)).toContain(`(${place}, user nobody, database 0) refused`);
    expect(await refusal(redis.url)).toContain('NOAUTH');
    expect(await connect(`redis://:opensesame@${place}/3`)).toEqual({ isAway: false, pong: 'PONG', said: [] });
  });

  it('continues with a needless password, and one line of the log says so', async () => {
    await redis.start();
    expect(await connect(`redis://:opensesame@${place}`)).toEqual({
      isAway: false,
      pong: 'PONG',
      said: ['REDIS_URL contains a password, but this Redis does not require one'],
    });
  });

  it('continues as a user without the permission for INFO', async () => {
    await redis.start();
    const admin = new Redis(redis.url);
    await admin.call('ACL', 'SETUSER', 'chat', 'on', '>pw', '~*', '&*', '+@all', '-info');
    admin.disconnect();
    expect(await connect(`redis://chat:pw@${place}`)).toEqual({ isAway: false, pong: 'PONG', said: [] });
  });

  it('continues without Redis if it is away', async () => {
    const { log, lines } = readableLog('info');
    const link = await connectRedis(redis.url, systemClock, log);
    expect(link.isAway()).toBe(true);
    expect(readLines(lines).map(({ msg }) => msg)).toEqual([expect.stringMatching('^Redis is not available')]);
    link.close();
  });
});
