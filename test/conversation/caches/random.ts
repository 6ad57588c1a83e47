/** Pseudo-random numbers from a seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  of<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  }

  orNull<T>(list: readonly T[]): T | null {
    return list.length === 0 ? null : this.of(list);
  }

  /** Keeps each element with this probability, in order. */
  some<T>(list: readonly T[], probability = 0.5): T[] {
    return list.filter(() => this.chance(probability));
  }

  shuffled<T>(list: readonly T[]): T[] {
    const left = [...list];
    return list.flatMap(() => left.splice(this.below(left.length), 1));
  }
}
