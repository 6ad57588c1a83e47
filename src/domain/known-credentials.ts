import { LRUCache } from 'lru-cache';
import { atMost } from '../infra/caching/at-most.js';
import { joinLookups } from '../infra/caching/joined-lookups.js';
import { CACHE_MS } from '../infra/caching/subscribed-cache.js';
import type { Clock } from '../infra/clock.js';
import type { Reader } from '../infra/database/index.js';

const MAX_REMEMBERED = 10_000;

/**
 * Checks whether credentials exist before they are verified. Batches lookups, so that invalid credentials stay cheap.
 */
export interface KnownCredentials {
  application(id: bigint): Promise<boolean>;
  session(hash: string): Promise<boolean>;
  oauthToken(hash: string): Promise<boolean>;
}

export function createKnownCredentials(read: Reader, clock: Clock): KnownCredentials {
  const application = existence(clock, async (ids: bigint[]) => {
    const rows = await read.application.findMany({ where: { id: { in: ids } }, select: { id: true } });
    return rows.map(({ id }) => id);
  });
  return {
    application,
    session: existence(clock, async (hashes: string[]) => {
      const rows = await read.authSession.findMany({ where: { token: { in: hashes } }, select: { token: true } });
      return rows.map(({ token }) => token);
    }),
    oauthToken: existence(clock, async (hashes: string[]) => {
      const rows = await read.oAuthToken.findMany({ where: { hash: { in: hashes } }, select: { hash: true } });
      return rows.map(({ hash }) => hash);
    }),
  };
}

/** Does not cache missing keys, because they may be created later. */
function existence<K extends bigint | string>(
  clock: Clock,
  find: (keys: K[]) => Promise<K[]>,
): (key: K) => Promise<boolean> {
  const look = joinLookups<K, true>(async (keys) => new Map((await find(keys)).map((key) => [key, true])));
  const existing = new LRUCache<K, true>({
    ...atMost(MAX_REMEMBERED),
    ttl: CACHE_MS,
    ttlResolution: 0,
    perf: clock,
  });
  return async (key) => {
    if (existing.has(key)) return true;
    const exists = (await look(key)) !== null;
    if (exists) existing.set(key, true);
    return exists;
  };
}
