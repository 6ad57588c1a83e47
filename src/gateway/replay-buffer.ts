import type { GatewayEvent } from './events.js';

/** The latest events of a session by sequence number. */
export class ReplayBuffer {
  #events: (GatewayEvent | undefined)[] = [];
  /** Index of the oldest kept event. */
  #head = 0;
  #oldest = 1;
  #bytes = 0;

  /** Sequence number of the oldest kept event, or of the next if none is kept. */
  get oldest(): number {
    return this.#oldest;
  }

  get length(): number {
    return this.#events.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param oldest sequence number of the first of `events` */
  static of(events: readonly GatewayEvent[], oldest: number): ReplayBuffer {
    const buffer = new ReplayBuffer();
    buffer.#oldest = oldest;
    for (const event of events) buffer.push(event);
    return buffer;
  }

  get events(): GatewayEvent[] {
    return this.#events.slice(this.#head).flatMap((event) => event ?? []);
  }

  push(event: GatewayEvent): void {
    this.#events.push(event);
    this.#bytes += event.size;
  }

  at(sequence: number): GatewayEvent | undefined {
    return sequence < this.#oldest ? undefined : this.#events[this.#head + sequence - this.#oldest];
  }

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
