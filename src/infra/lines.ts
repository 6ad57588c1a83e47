/** Lines in which things are done one after the other, one line for each key. */
export class Lines<Key> {
  readonly #ends = new Map<Key, Promise<unknown>>();

  /** Does something after all that was begun with the same key, whatever became of that. */
  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.runInAll([key], work);
  }

  /** Does something after all that was begun with any of the keys, whatever became of that. */
  async runInAll<T>(keys: readonly Key[], work: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.#ends.get(key) ?? []);
    const done = before.length > 0 ? Promise.allSettled(before).then(work) : work();
    for (const key of keys) this.#ends.set(key, done);
    try {
      return await done;
    } finally {
      for (const key of keys) if (this.#ends.get(key) === done) this.#ends.delete(key);
    }
  }

  /** Settles when nothing is under way any more, whatever became of it. */
  async settled(): Promise<void> {
    while (this.#ends.size > 0) await Promise.allSettled(this.#ends.values());
  }
}
