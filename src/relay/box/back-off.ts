import type { Clock } from '../../infra/clock.js';

const FIRST_MS = 1_000;
const MOST_MS = 60_000;

/** A connection that served this long resets the bound. */
const GOOD_SERVICE_MS = 30_000;

/** Waits between attempts to dial (docs/relay.md, R-41). */
export class BackOff {
  #boundMs = FIRST_MS;

  /** @param random returns a number from 0 to below 1 */
  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** In milliseconds, random up to a bound that doubles each time. */
  next(): number {
    const wait = Math.round(this.random() * this.#boundMs);
    this.#boundMs = Math.min(2 * this.#boundMs, MOST_MS);
    return wait;
  }

  /**
   * Call this when a connection ends.
   * @param since start of its service, in milliseconds since the Unix epoch
   */
  noteServed(since: number): void {
    if (this.clock.now() - since >= GOOD_SERVICE_MS) this.#boundMs = FIRST_MS;
  }
}

export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
