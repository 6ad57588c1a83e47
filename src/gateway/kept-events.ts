import { MAX_HELD_BYTES } from './protocol.js';

interface Keeper {
  /** Discards waiting events and cuts off the affected sessions. */
  giveWay(): void;
}

/**
 * Counts the bytes of waiting events in all feeds. Above {@link MAX_HELD_BYTES} the largest keeper gives way, so
 * that other guilds are not affected.
 */
export class KeptEvents {
  readonly #sizes = new Map<Keeper, number>();
  #bytes = 0;

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
