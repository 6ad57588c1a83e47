import type { Release } from './semaphore.js';

/** Limits amounts that are in use, such as a sender's bytes or a user's sockets. */
export class Quota {
  readonly #used = new Map<string, number>();
  #usedInAll = 0;

  /** @param perKey limit of `take` */
  constructor(private readonly perKey: number) {}

  get usedInAll(): number {
    return this.#usedInAll;
  }

  used(key: string): number {
    return this.#used.get(key) ?? 0;
  }

  /** Counts without a limit. @param amount negative to release it */
  add(key: string, amount: number): void {
    const used = this.used(key) + amount;
    this.#usedInAll += amount;
    if (used === 0) this.#used.delete(key);
    else this.#used.set(key, used);
  }

  /** Takes one. Returns null at the limit. */
  take(key: string): Release | null {
    if (this.used(key) >= this.perKey) return null;
    this.add(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.add(key, -1);
      isTaken = false;
    };
  }
}
