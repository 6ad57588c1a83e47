import type { Clock, Timer } from '../../infra/clock.js';

/** Silence before a ping, and again before the connection is cut (docs/relay.md, R-4). */
export const QUIET_MS = 15_000;

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

  /** Call this whenever bytes arrive. */
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
      // The system clock may have been set back.
      this.#timer = this.#lookIn(Math.min(left, QUIET_MS));
    } else {
      this.#isAsked = true;
      this.#timer = this.#lookIn(QUIET_MS);
      this.does.ask();
    }
  }
}
