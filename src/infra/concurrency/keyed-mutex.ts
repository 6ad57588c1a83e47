/** Mutex per key. */
export class KeyedMutex<Key> {
  readonly #ends = new Map<Key, Promise<unknown>>();

  /** Runs `work` after all earlier tasks with this key, even if they failed. */
  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.runInAll([key], work);
  }

  /** The same for several keys. */
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

  async settled(): Promise<void> {
    while (this.#ends.size > 0) await Promise.allSettled(this.#ends.values());
  }
}
