import type { Clock } from '../../infra/clock.js';

const FIRST_MS = 1_000;
const MOST_MS = 60_000;

/** A connection that serves this long resets the bound of the waits. */
const GOOD_SERVICE_MS = 30_000;

/** Waits before reconnecting (docs/relay.md, R-41). */
export class BackOff {
  #boundMs = FIRST_MS;

  /** @param random like `Math.random` */
  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** In milliseconds: random, up to a bound that doubles each time. */
  next(): number {
    const wait = Math.round(this.random() * this.#boundMs);
    this.#boundMs = Math.min(2 * this.#boundMs, MOST_MS);
    return wait;
  }

  /**
   * Call this when a connection ends.
   * @param since when it began to serve, in milliseconds since the Unix epoch
   */
  noteServed(since: number): void {
    if (this.clock.now() - since >= GOOD_SERVICE_MS) this.#boundMs = FIRST_MS;
  }
}

export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
