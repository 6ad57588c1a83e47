import type { Release } from './semaphore.js';

/** First in, first out. */
export class Mutex {
  /** Null if no task runs. */
  #last: Promise<unknown> | null = null;

  /** Runs `work` after all earlier tasks, even if they failed. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const task = async () => work();
    const done = this.#last ? this.#last.then(task) : task();
    const settled = done.catch(() => {});
    this.#last = settled;
    try {
      return await done;
    } finally {
      if (this.#last === settled) this.#last = null;
    }
  }

  /** For work that the caller ends with the release. */
  take(): Promise<Release> {
    return new Promise((resolve) => void this.run(() => new Promise<void>((release) => resolve(release))));
  }
}

export class KeyedMutex<Key> {
  readonly #ends = new Map<Key, Promise<unknown>>();

  /** Like {@link Mutex.run}, per key. */
  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.runInAll([key], work);
  }

  /** Like {@link run}, for several keys. */
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
