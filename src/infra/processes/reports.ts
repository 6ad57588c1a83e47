import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { RedisLink } from './redis.js';

/** How long a report is valid, in minutes. */
const VALID_MINUTES = 10;

/** One text of each process that the others can read for ten minutes. Missing while Redis is unavailable. */
export interface ProcessReports {
  /** Replaces this process's report. Never rejects. */
  write(text: string): Promise<void>;
  /** Never rejects. */
  ofOthers(): Promise<string[]>;
}

/** Stores the reports of each minute in a hash that expires, by process. */
export function createReports(redis: RedisLink, name: string, clock: Clock): ProcessReports {
  const own = randomUUID();
  const minuteNow = () => Math.floor(clock.now() / 60_000);
  const keyOf = (minute: number) => `${redis.prefix}${name}:${minute}`;
  return {
    async write(text) {
      const key = keyOf(minuteNow());
      const writing = redis.commands
        .multi()
        .hset(key, own, text)
        .expire(key, (VALID_MINUTES + 1) * 60)
        .exec();
      await redis.inTime(writing).catch(() => {});
    },
    async ofOthers() {
      const minutes = Array.from({ length: VALID_MINUTES + 1 }, (_, ago) => minuteNow() - ago);
      const hashes = await redis
        .inTime(Promise.all(minutes.map((one) => redis.commands.hgetall(keyOf(one)))))
        .catch(() => []);
      // The newest report of a process comes last.
      const newest = new Map(hashes.reverse().flatMap((hash) => Object.entries(hash)));
      newest.delete(own);
      return [...newest.values()];
    },
  };
}
