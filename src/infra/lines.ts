/** Lines in which things are done one after the other, one line for each key. */
export class Lines<Key> {
  readonly #ends = new Map<Key, Promise<unknown>>();

  /** Does something after all that was begun with the same key, whatever became of that. */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(key);
    const done = before ? before.then(work, work) : work();
    this.#ends.set(key, done);
    try {
      return await done;
    } finally {
      if (this.#ends.get(key) === done) this.#ends.delete(key);
    }
  }

  /** Settles when nothing is under way any more, whatever became of it. */
  async settled(): Promise<void> {
    while (this.#ends.size > 0) await Promise.allSettled(this.#ends.values());
  }
}
