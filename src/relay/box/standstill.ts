import type { Clock, Timer } from '../../infra/clock.js';

/** How often it is looked whether time passes, in milliseconds. */
const LOOK_EVERY_MS = 500;

/** How much longer than that a look may take before the process is held to have stood still, in milliseconds. */
const LATE_MS = 1_000;

/**
 * Keeps a process that stood still, frozen or with its machine, from beginning what was taken back in the meantime (docs/relay.md, R-23):
 * what it finds then may be older than its budget. Until it has caught up with the other end, nothing begins.
 */
export class Standstill {
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

  /** Settles at once, but where the process stood still just now. @throws what catching up does */
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
    // Whoever waits hears of a fault; where nobody does, the link is gone anyway.
    catchingUp.then(done, done);
  }
}
