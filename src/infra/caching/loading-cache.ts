import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';
import { atMost } from './at-most.js';

interface Loaded<Value> {
  value: Value | null;
}

interface LoadingCacheOptions<Key, Value> {
  /** Maximum number of entries. */
  max: number;
  /** How long a value is valid. Default: for ever. */
  expiry?: { ms: number; clock: Clock };
  /** Null if there is none. */
  load(key: Key): Promise<Value | null>;
}

/**
 * Loads missing values, once for concurrent callers. A key without a value is not cached, nor is a value whose key was
 * deleted during the load.
 */
export class LoadingCache<Key extends {}, Value extends {}> {
  readonly #entries: LRUCache<Key, Loaded<Value>>;

  constructor({ max, expiry, load }: LoadingCacheOptions<Key, Value>) {
    this.#entries = new LRUCache<Key, Loaded<Value>>({
      ...atMost(max),
      ...(expiry && { ttl: expiry.ms, ttlResolution: 0, perf: expiry.clock }),
      // Callers get what was loaded, even if the key was deleted in the meantime.
      ignoreFetchAbort: true,
      fetchMethod: async (key) => ({ value: await load(key) }),
    });
  }

  async get(key: Key): Promise<Value | null> {
    const loaded = await this.#entries.forceFetch(key);
    if (loaded.value === null && this.#entries.peek(key) === loaded) this.#entries.delete(key);
    return loaded.value;
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
