import { setTimeout } from 'node:timers/promises';
import type { Envelope } from './envelope.js';

/** How long an envelope waits for the one before it until the log is read, and then read again. */
const RECOVER_EVERY_MS = 50;
/** How long it waits in all for a committed change, which then is a gap. */
const GAP_AFTER_MS = 2_000;
/** The same while Redis is unavailable. */
const GAP_IN_OUTAGE_AFTER_MS = 15_000;
/** How long envelopes wait soon after a gap. Further gaps of that time are reported as one. */
const NEXT_GAP_AFTER_MS = 200;
const MAX_HELD = 5_000;

interface Held<Message> {
  /** From `performance.now()`. */
  at: number;
  /** With those of its publisher that followed it and have no clock. */
  envelopes: Envelope<Message>[];
}

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
  /** By clock. */
  readonly #held = new Map<number, Held<Message>>();
  #isWaiting = false;
  #isClosed = false;
  /** Until when a gap is not reported at once, from `performance.now()`. */
  #quietUntil = 0;
  #hasUnreported = false;

  constructor(private readonly options: StreamOrderOptions<Message>) {}

  /** The last clock before which none is missing; null if unknown. */
  get heard(): number | null {
    return this.#next === null ? null : this.#next - 1;
  }

  /** Whether envelopes wait for an earlier one. */
  get isHolding(): boolean {
    return this.#held.size > 0;
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
      const before = [...this.#held.values()].findLast(({ envelopes }) => envelopes[0]?.origin === origin);
      if (before && this.options.canRecover()) before.envelopes.push(envelope);
      else this.options.deliver(envelope);
      return;
    }
    this.expect(clock);
    if (this.#next !== null && clock < this.#next) {
      // Later ones are a repeat, or a late part of a reported gap.
      if (clock < this.#first) this.#takeLate(envelope);
      return;
    }
    if (this.#held.has(clock)) return;
    this.#held.set(clock, { at: performance.now(), envelopes: [envelope] });
    this.#flush();
    if (this.#held.size > 0 && !this.#isWaiting) void this.#wait();
  }

  /** The stream began with a later change, because this one took longer than its first moments. */
  #takeLate(envelope: Envelope<Message>): void {
    if (this.#next === this.#first) this.options.deliver(envelope);
    else if (performance.now() < this.#quietUntil) this.#hasUnreported = true;
    else this.#report(GAP_AFTER_MS);
  }

  /** Call this when Redis is available again, after the log was read. */
  resume(): void {
    if (!this.#hasUnreported) return;
    this.#hasUnreported = false;
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
    while (this.#next !== null) {
      const held = this.#held.get(this.#next);
      if (!held) break;
      this.#held.delete(this.#next);
      this.#next += 1;
      for (const envelope of held.envelopes) this.options.deliver(envelope);
    }
  }

  async #wait(): Promise<void> {
    const { canRecover, recover } = this.options;
    this.#isWaiting = true;
    let couldRecover = canRecover();
    let changedAt = 0;
    while (this.#held.size > 0) {
      await setTimeout(RECOVER_EVERY_MS, undefined, { ref: false });
      if (this.#isClosed) return;
      if (canRecover() !== couldRecover) {
        couldRecover = canRecover();
        changedAt = performance.now();
      }
      if (this.#next === null) this.#await(Math.min(...this.#held.keys()));
      else if (couldRecover) await recover();
      else this.#deliverWithoutClock();
      this.#flush();
      this.#skipOverdue(changedAt, couldRecover ? GAP_AFTER_MS : GAP_IN_OUTAGE_AFTER_MS);
    }
    this.#isWaiting = false;
  }

  /** Events without a clock do not wait for the end of an outage. */
  #deliverWithoutClock(): void {
    for (const { envelopes } of this.#held.values()) {
      for (const envelope of envelopes.splice(1)) this.options.deliver(envelope);
    }
  }

  /** @param since no wait counts from before this time */
  #skipOverdue(since: number, gapAfterMs: number): void {
    const now = performance.now();
    const isQuiet = now < this.#quietUntil;
    const patience = isQuiet ? NEXT_GAP_AFTER_MS : gapAfterMs;
    let isReported = false;
    while (this.#held.size > 0 && !this.#isClosed) {
      const earliest = Math.min(...this.#held.keys());
      const { at = 0 } = this.#held.get(earliest) ?? {};
      if (now - Math.max(at, since) < patience && this.#held.size < MAX_HELD) return;
      if (isQuiet) this.#hasUnreported = true;
      else if (!isReported) this.#report(gapAfterMs);
      isReported = true;
      this.#next = earliest;
      this.#flush();
    }
  }

  #report(quietMs: number): void {
    this.#hasUnreported = false;
    this.#quietUntil = performance.now() + quietMs;
    this.options.onGap();
    void setTimeout(quietMs, undefined, { ref: false }).then(() => {
      if (this.#hasUnreported && !this.#isClosed) this.#report(quietMs);
    });
  }
}
