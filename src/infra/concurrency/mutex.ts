import type { Release } from './semaphore.js';

/** First in, first out. */
export class Mutex {
  /** End of the last task. Null if none runs. */
  #last: Promise<void> | null = null;

  /** Runs `work` after all earlier tasks, even if they failed. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const before = this.#last;
    const { ended, end } = ending();
    this.#last = ended;
    if (before) await before;
    try {
      return await work();
    } finally {
      end();
      if (this.#last === ended) this.#last = null;
    }
  }

  /** For work that the caller ends with the release. */
  take(): Promise<Release> {
    return new Promise((resolve) => void this.run(() => new Promise<void>((release) => resolve(release))));
  }
}

export class KeyedMutex<Key> {
  readonly #ends = new Map<Key, Promise<void>>();

  /** Like {@link Mutex.run}, per key. */
  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.runInAll([key], work);
  }

  /** Like {@link run}, for several keys. */
  async runInAll<T>(keys: readonly Key[], work: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.#ends.get(key) ?? []);
    const { ended, end } = ending();
    for (const key of keys) this.#ends.set(key, ended);
    if (before.length > 0) await Promise.all(before);
    try {
      return await work();
    } finally {
      end();
      for (const key of keys) if (this.#ends.get(key) === ended) this.#ends.delete(key);
    }
  }

  async settled(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends.values());
  }
}

function ending(): { ended: Promise<void>; end: () => void } {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}
