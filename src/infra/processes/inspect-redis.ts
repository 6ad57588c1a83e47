import { randomUUID } from 'node:crypto';
import { measureRoundTrips, type RoundTrips } from '../round-trips.js';
import type { RedisLink } from './redis.js';

export interface RedisFacts extends RoundTrips {
  /** Null if the user may not call INFO, like the other values of INFO. */
  version: string | null;
  isCluster: boolean;
  /** In bytes; 0 without a limit. */
  maxMemory: number;
  usedMemory: number;
  /** Such as `noeviction`. */
  evictionPolicy: string | null;
  /** Why Redis refuses to store or to publish; null if it does neither. */
  refusal: string | null;
}

/** Stores one key for a second, like a log of events. */
const WRITE = `
redis.call('XADD', KEYS[1], 'MAXLEN', '~', 1, '*', 'e', '')
redis.call('PEXPIRE', KEYS[1], 1000)
return redis.call('PUBLISH', KEYS[1], '')`;

/** @throws the error of the connection */
export async function inspectRedis({ commands, prefix }: Pick<RedisLink, 'commands' | 'prefix'>): Promise<RedisFacts> {
  const info = readInfo(await commands.call('INFO').then(String, () => ''));
  const write = commands.eval(WRITE, 1, `${prefix}doctor:${randomUUID()}`);
  const refusal = await write.then(
    () => null,
    (error: Error) => error.message,
  );
  return {
    version: info.get('redis_version') ?? null,
    isCluster: info.get('redis_mode') === 'cluster',
    maxMemory: Number(info.get('maxmemory') ?? 0),
    usedMemory: Number(info.get('used_memory') ?? 0),
    evictionPolicy: info.get('maxmemory_policy') ?? null,
    refusal,
    ...(await measureRoundTrips(() => askTime(commands))),
  };
}

function readInfo(text: string): Map<string, string> {
  const pairs = text.split('\r\n').map((line) => line.split(':', 2));
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
}

async function askTime(commands: RedisLink['commands']): Promise<number> {
  const [seconds, microseconds] = await commands.time();
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
}
