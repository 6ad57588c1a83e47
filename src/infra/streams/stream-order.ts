import { setTimeout } from 'node:timers/promises';
import type { Envelope } from './envelope.js';

/** How long an envelope waits for the one before it until the log is read, and then read again. */
const RECOVER_EVERY_MS = 50;
/** How long it waits in all for a committed change, which then is a gap. */
const GAP_AFTER_MS = 2_000;
/** How long it waits while Redis is unavailable, and how many envelopes do. */
const MAX_OUTAGE = { ms: 15_000, held: 5_000 };

export interface StreamOrderOptions<Message> {
  /** Whether other processes write to the stream. */
  isShared: boolean;
  deliver(envelope: Envelope<Message>): void;
  /** Reads what other processes have published. */
  recover(): Promise<void>;
  /** Whether that is possible now. */
  canRecover(): boolean;
  onGap(): void;
}

/** Delivers the envelopes of one stream by their clocks, which increase by one. */
export class StreamOrder<Message> {
  #next: number | null = null;
  /** The first clock that was awaited. */
  #first = 0;
  /** By clock. Each with the envelopes of its publisher that followed it and have no clock. */
  readonly #held = new Map<number, Envelope<Message>[]>();
  #heldSince = 0;
  #isWaiting = false;
  #isClosed = false;
  /** Whether changes were skipped because Redis is unavailable. */
  #hasSkipped = false;

  constructor(private readonly options: StreamOrderOptions<Message>) {}

  /** The last clock before which none is missing; null if unknown. */
  get heard(): number | null {
    return this.#next === null ? null : this.#next - 1;
  }

  /** A process that is alone on its database takes each clock before it publishes a later one. */
  expect(clock: number): void {
    if (this.#next === null && !this.options.isShared) this.#await(clock);
  }

  /** @param clock the stream's last committed change. If it was not heard by now, its events will not come. */
  catchUp(clock: number): void {
    if (this.#next === null) {
      if (this.#held.size === 0) this.#await(clock + 1);
    } else if (clock >= this.#next && this.#held.size === 0) {
      this.#next = clock + 1;
      this.options.onGap();
    }
  }

  take(envelope: Envelope<Message>): void {
    const { clock, origin } = envelope;
    if (clock === null) {
      const before = [...this.#held.values()].findLast((held) => held[0]?.origin === origin);
      if (before && this.options.canRecover()) before.push(envelope);
      else this.options.deliver(envelope);
      return;
    }
    this.expect(clock);
    if (this.#next !== null && clock < this.#next) {
      // From before the subscription, or a repeat, or a late part of a reported gap.
      if (clock < this.#first) this.options.deliver(envelope);
      return;
    }
    if (this.#held.has(clock)) return;
    this.#held.set(clock, [envelope]);
    this.#flush();
  }

  /** Call this when Redis is available again, after the log was read. */
  resume(): void {
    if (!this.#hasSkipped) return;
    this.#hasSkipped = false;
    this.options.onGap();
  }

  close(): void {
    this.#isClosed = true;
    this.#held.clear();
  }

  #await(clock: number): void {
    this.#next = clock;
    this.#first = clock;
  }

  #flush(): void {
    if (this.#hasSkipped && !this.options.canRecover()) this.#skip();
    while (this.#next !== null) {
      const held = this.#held.get(this.#next);
      if (!held) break;
      this.#held.delete(this.#next);
      this.#next += 1;
      this.#heldSince = performance.now();
      for (const envelope of held) this.options.deliver(envelope);
    }
    if (this.#held.size > 0 && !this.#isWaiting) void this.#wait();
  }

  #skip(): void {
    if (this.#held.size > 0) this.#next = Math.min(...this.#held.keys());
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true;
    this.#heldSince = performance.now();
    let couldRecover = this.options.canRecover();
    while (this.#held.size > 0) {
      await setTimeout(RECOVER_EVERY_MS, undefined, { ref: false });
      if (this.#isClosed || this.#held.size === 0) break;
      const canRecover = this.options.canRecover();
      if (canRecover && !couldRecover) this.#heldSince = performance.now();
      couldRecover = canRecover;
      if (this.#next === null) this.#await(Math.min(...this.#held.keys()));
      else if (canRecover) await this.#recover();
      else this.#sitOut();
      this.#flush();
    }
    this.#isWaiting = false;
  }

  async #recover(): Promise<void> {
    await this.options.recover();
    if (this.#isClosed || this.#held.size === 0 || performance.now() - this.#heldSince < GAP_AFTER_MS) return;
    this.#skip();
    this.options.onGap();
  }

  /** Events without a clock do not wait for the end of an outage. */
  #sitOut(): void {
    for (const [envelope, ...others] of this.#held.values()) {
      if (!envelope) continue;
      this.#held.set(envelope.clock ?? 0, [envelope]);
      for (const other of others) this.options.deliver(other);
    }
    if (performance.now() - this.#heldSince < MAX_OUTAGE.ms && this.#held.size < MAX_OUTAGE.held) return;
    this.#hasSkipped = true;
    this.#skip();
  }
}
