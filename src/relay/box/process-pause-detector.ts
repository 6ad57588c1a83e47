import type { Clock, Timer } from '../../infra/clock.js';

const LOOK_EVERY_MS = 500;

/** A check this late means that the process was suspended. */
const LATE_MS = 1_000;

/**
 * Detects that the process was suspended (docs/relay.md, R-23). Received requests may be outdated then, so no work
 * begins until `catchUp` resolves.
 */
export class ProcessPauseDetector {
  #lookedAt: number;
  #timer: Timer;
  #catchingUp: Promise<void> | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly catchUp: () => Promise<void>,
  ) {
    this.#lookedAt = clock.now();
    this.#timer = this.#lookLater();
  }

  /**
   * Resolves at once unless the process was just suspended.
   * @throws errors of `catchUp`
   */
  async over(): Promise<void> {
    this.#look();
    await this.#catchingUp;
  }

  stop(): void {
    this.#timer.cancel();
  }

  #lookLater(): Timer {
    return this.clock.after(LOOK_EVERY_MS, () => {
      this.#look();
      this.#timer = this.#lookLater();
    });
  }

  #look(): void {
    const now = this.clock.now();
    const isLate = now - this.#lookedAt > LOOK_EVERY_MS + LATE_MS;
    this.#lookedAt = now;
    if (!isLate) return;
    const catchingUp = this.catchUp();
    this.#catchingUp = catchingUp;
    const done = () => {
      if (this.#catchingUp === catchingUp) this.#catchingUp = null;
    };
    // Callers of `over` get the error.
    catchingUp.then(done, done);
  }
}
