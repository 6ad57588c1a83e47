import { MAX_HELD_BYTES } from './protocol.js';

interface PendingEvents {
  /** Discards waiting events and drops the affected sessions. */
  shedLoad(): void;
}

/**
 * Counts the bytes of waiting events in all feeds. Above {@link MAX_HELD_BYTES}, only the feed with the most bytes
 * sheds load, so that other guilds are not affected.
 */
export class PendingEventQuota {
  readonly #sizes = new Map<PendingEvents, number>();
  #bytes = 0;

  note(keeper: PendingEvents, bytes: number): void {
    const before = this.#sizes.get(keeper) ?? 0;
    this.#bytes += bytes - before;
    if (bytes === 0) this.#sizes.delete(keeper);
    else this.#sizes.set(keeper, bytes);
    if (bytes > before && this.#bytes > MAX_HELD_BYTES) this.#largest()?.shedLoad();
  }

  #largest(): PendingEvents | undefined {
    let largest: [PendingEvents, number] | undefined;
    for (const one of this.#sizes) if (!largest || one[1] > largest[1]) largest = one;
    return largest?.[0];
  }
}
