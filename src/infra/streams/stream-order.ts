import type { Envelope } from './envelope.js';

/** How long an envelope waits for the one before it until the log is read. */
const RECOVER_AFTER_MS = 50;
/** How long it waits in all. A committed change without its events then is a gap. */
const GAP_AFTER_MS = 1_000;
/** Envelopes that wait while Redis is unavailable. */
const MAX_HELD = 1_000;

export interface StreamOrderOptions<Message> {
  /** Whether other processes write to the stream. */
  isShared: boolean;
  deliver(envelope: Envelope<Message>): void;
  /** Reads what other processes have published. */
  recover(): void;
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
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: StreamOrderOptions<Message>) {}

  /** The last clock before which none is missing; null if unknown. */
  get heard(): number | null {
    return this.#next === null ? null : this.#next - 1;
  }

  /** A process that is alone on its database takes each clock before it publishes a later one. */
  expect(clock: number): void {
    if (this.#next === null && !this.options.isShared) this.#await(clock);
  }

  take(envelope: Envelope<Message>): void {
    const { clock, origin } = envelope;
    if (clock === null) {
      const before = [...this.#held.values()].findLast((held) => held[0]?.origin === origin);
      if (before) before.push(envelope);
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

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #await(clock: number): void {
    this.#next = clock;
    this.#first = clock;
  }

  #flush(): void {
    while (this.#next !== null) {
      const held = this.#held.get(this.#next);
      if (!held) break;
      this.#held.delete(this.#next);
      this.#next += 1;
      if (this.#timer) clearTimeout(this.#timer);
      this.#timer = null;
      for (const envelope of held) this.options.deliver(envelope);
    }
    if (this.#held.size === 0 || this.#timer) return;
    this.#heldSince = performance.now();
    this.#look();
  }

  #look(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#overdue();
    }, RECOVER_AFTER_MS).unref();
  }

  #overdue(): void {
    const earliest = Math.min(...this.#held.keys());
    const { canRecover, recover, onGap } = this.options;
    if (this.#next === null) {
      this.#await(earliest);
    } else if (!canRecover() && this.#held.size < MAX_HELD) {
      this.#heldSince = performance.now();
      return this.#look();
    } else if (canRecover() && performance.now() - this.#heldSince < GAP_AFTER_MS) {
      this.#look();
      return recover();
    } else {
      this.#next = earliest;
      onGap();
    }
    this.#flush();
  }
}
