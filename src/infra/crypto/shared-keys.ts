import type { RedisLink } from '../processes/redis.js';

/** Atomic, so that one of several processes is first. */
const CLAIM = `
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('GET', KEYS[1])`;

/** Another process may have set another key in the meantime. */
const FORGET = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

const MAX_OWED = 10_000;

/** Names with a key for a limited time, shared by all processes. */
export class SharedKeys {
  /** Deletions that failed because Redis was unavailable. */
  readonly #owed = new Map<string, string>();

  constructor(private readonly redis: RedisLink) {
    redis.onAnswer(() => this.#forgetOwed());
  }

  /**
   * Gives a name the key `key`, unless a process gave it one before.
   * @param keptMs lifetime of a new key
   * @returns the name's key; null while Redis does not answer
   */
  async claim(name: string, key: string, keptMs: number): Promise<string | null> {
    if (!this.redis.answers()) return null;
    try {
      return String(await this.redis.inTime(this.redis.commands.eval(CLAIM, 1, this.#keyOf(name), key, keptMs)));
    } catch {
      this.redis.doubt();
      return null;
    }
  }

  /** Deletes the key, or retries once Redis is back. Never rejects. */
  async forget(name: string, key: string): Promise<void> {
    if (!this.redis.answers()) return this.#owe(name, key);
    try {
      await this.redis.inTime(this.redis.commands.eval(FORGET, 1, this.#keyOf(name), key));
    } catch {
      this.redis.doubt();
      this.#owe(name, key);
    }
  }

  #keyOf(name: string): string {
    return `${this.redis.prefix}key:${name}`;
  }

  #owe(name: string, key: string): void {
    if (this.#owed.size < MAX_OWED) this.#owed.set(name, key);
  }

  #forgetOwed(): void {
    const owed = [...this.#owed];
    this.#owed.clear();
    for (const [name, key] of owed) void this.forget(name, key);
  }
}
