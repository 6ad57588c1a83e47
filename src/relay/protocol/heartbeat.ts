import type { Clock, Timer } from '../../infra/clock.js';

/** How long nothing may arrive before the other end is asked, and again before it is given up, in milliseconds (docs/relay.md, R-4). */
export const QUIET_MS = 15_000;

/** Notices that nothing arrives any more. */
export class Heartbeat {
  #heardAt: number;
  #isAsked = false;
  #timer: Timer;

  constructor(
    private readonly clock: Clock,
    private readonly does: { ask(): void; giveUp(): void },
  ) {
    this.#heardAt = clock.now();
    this.#timer = this.#lookIn(QUIET_MS);
  }

  /** Something arrived. */
  heard(): void {
    this.#heardAt = this.clock.now();
    this.#isAsked = false;
  }

  stop(): void {
    this.#timer.cancel();
  }

  #lookIn(ms: number): Timer {
    return this.clock.after(ms, () => this.#look());
  }

  #look(): void {
    const left = this.#heardAt + QUIET_MS - this.clock.now();
    if (this.#isAsked) {
      this.does.giveUp();
    } else if (left > 0) {
      // No longer than that, also where the time of day was set back.
      this.#timer = this.#lookIn(Math.min(left, QUIET_MS));
    } else {
      this.#isAsked = true;
      this.#timer = this.#lookIn(QUIET_MS);
      this.does.ask();
    }
  }
}
