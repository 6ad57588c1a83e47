import type { Clock } from '../../infra/clock.js';

const FIRST_MS = 1_000;
const MOST_MS = 60_000;

/** How long a connection has to serve before the next wait is a short one again, in milliseconds. */
const GOOD_SERVICE_MS = 30_000;

/** How long to wait before dialling again (docs/relay.md, R-41). */
export class BackOff {
  #boundMs = FIRST_MS;

  /** @param random from 0 to below 1 */
  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** The next wait in milliseconds, of a random length up to a bound that doubles. */
  next(): number {
    const wait = Math.round(this.random() * this.#boundMs);
    this.#boundMs = Math.min(2 * this.#boundMs, MOST_MS);
    return wait;
  }

  /** Notes that a connection is over. @param since when it began to serve, in milliseconds since the Unix epoch */
  noteServed(since: number): void {
    if (this.clock.now() - since >= GOOD_SERVICE_MS) this.#boundMs = FIRST_MS;
  }
}

/** Milliseconds as seconds, for people. */
export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
