import type { GatewayEvent } from './events.js';

/** The latest events of a session, by sequence number. */
export class ReplayBuffer {
  #events: (GatewayEvent | undefined)[] = [];
  /** Where in `#events` the oldest kept one stands; what is before it was dropped. */
  #head = 0;
  #oldest = 1;
  #bytes = 0;

  /** The sequence number of the oldest event that is kept, or of the next one when none is. */
  get oldest(): number {
    return this.#oldest;
  }

  get length(): number {
    return this.#events.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the event that follows the newest. */
  push(event: GatewayEvent): void {
    this.#events.push(event);
    this.#bytes += event.size;
  }

  at(sequence: number): GatewayEvent | undefined {
    return sequence < this.#oldest ? undefined : this.#events[this.#head + sequence - this.#oldest];
  }

  /** Drops the oldest events, `sequence` being the last of them. */
  dropThrough(sequence: number): void {
    while (this.#oldest <= sequence && this.length > 0) {
      this.#bytes -= this.#events[this.#head]?.size ?? 0;
      this.#events[this.#head] = undefined;
      this.#head += 1;
      this.#oldest += 1;
    }
    if (this.length === 0 || this.#head > 1_024) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }
}
