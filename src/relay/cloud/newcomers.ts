import type { Release } from '../../infra/slots.js';

/** How many connections may be greeting at once: from one address, and in all. */
const MAX_NEWCOMERS = { perAddress: 64, all: 2_048 };

/** Connections that nobody has shown a key for yet, of which there are no more than so many. */
export class Newcomers {
  readonly #ofAddress = new Map<string, number>();
  #all = 0;

  /** @param isCounted whether there is a bound for each address */
  constructor(private readonly isCounted: boolean) {}

  /** Counts one more; null where there are too many. Whoever takes it frees it again. */
  take(address: string): Release | null {
    const there = this.#ofAddress.get(address) ?? 0;
    if (this.#all >= MAX_NEWCOMERS.all || (this.isCounted && there >= MAX_NEWCOMERS.perAddress)) return null;
    this.#all += 1;
    this.#ofAddress.set(address, there + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free(address);
    };
  }

  #free(address: string): void {
    this.#all -= 1;
    const left = (this.#ofAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#ofAddress.set(address, left);
    else this.#ofAddress.delete(address);
  }
}
