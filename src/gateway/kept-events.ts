import { MAX_HELD_BYTES } from './protocol.js';

/** Somebody who keeps events until they can go out. */
interface Keeper {
  /** Lets go of them, and of the sessions that wait for them. */
  giveWay(): void;
}

/**
 * What is kept in all feeds of a process until it can go out. Beyond {@link MAX_HELD_BYTES} whoever keeps most gives way, so that a
 * guild in which little waits is kept from nothing by others.
 */
export class KeptEvents {
  readonly #sizes = new Map<Keeper, number>();
  #bytes = 0;

  /** From here on, `keeper` keeps so many bytes. */
  note(keeper: Keeper, bytes: number): void {
    const before = this.#sizes.get(keeper) ?? 0;
    this.#bytes += bytes - before;
    if (bytes === 0) this.#sizes.delete(keeper);
    else this.#sizes.set(keeper, bytes);
    if (bytes > before && this.#bytes > MAX_HELD_BYTES) this.#largest()?.giveWay();
  }

  #largest(): Keeper | undefined {
    let largest: [Keeper, number] | undefined;
    for (const one of this.#sizes) if (!largest || one[1] > largest[1]) largest = one;
    return largest?.[0];
  }
}
