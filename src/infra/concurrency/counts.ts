import type { Release } from './semaphore.js';

export class Counts {
  readonly #byKey = new Map<string, number>();
  sum = 0;

  of(key: string): number {
    return this.#byKey.get(key) ?? 0;
  }

  add(key: string, amount: number): void {
    const count = this.of(key) + amount;
    this.sum += amount;
    if (count === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, count);
  }

  /** Adds one until it is released. */
  take(key: string): Release {
    this.add(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.add(key, -1);
      isTaken = false;
    };
  }
}
