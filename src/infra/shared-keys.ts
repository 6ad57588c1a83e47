import type { RedisLink } from './redis.js';

/** Keeps the key that a name has, or gives it this one; both at once, so that of several processes one is first. */
const CLAIM = `
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('GET', KEYS[1])`;

/** Whoever came later may have given the name another key. */
const FORGET = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/** How many names are remembered whose keys are still to be forgotten. */
const MAX_OWED = 10_000;

/** Keys that all processes know by a name for a while. */
export class SharedKeys {
  /** Names whose keys could not be forgotten because Redis was away. */
  readonly #owed = new Map<string, string>();

  constructor(private readonly redis: RedisLink) {
    redis.onAnswer(() => this.#forgetOwed());
  }

  /**
   * The key that a name has: one that it was given before, by whichever process, or `key` from here on.
   * @param keptMs how long it has that key, in milliseconds
   * @returns null while Redis does not answer
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

  /** The name has that key no more once this settles, or else once Redis is back. Never rejects. */
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
