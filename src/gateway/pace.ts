import type { Clock, Timer } from '../infra/clock.js';

/** How often something may be done. */
export interface PaceLimit {
  times: number;
  windowMs: number;
}

/** Does something as often as it may; what comes too often waits, and only the latest of it is done. */
export class Pace {
  /** When it was done, the oldest first; no more of them than a window may hold. */
  #done: number[] = [];
  #waiting: Timer | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly limit: PaceLimit,
  ) {}

  do(work: () => void): void {
    this.cancel();
    const now = this.clock.now();
    this.#done = this.#done.filter((at) => now - at < this.limit.windowMs);
    const [oldest] = this.#done;
    if (oldest === undefined || this.#done.length < this.limit.times) {
      this.#done.push(now);
      work();
      return;
    }
    this.#waiting = this.clock.after(oldest + this.limit.windowMs - now, () => this.do(work));
  }

  /** What waits is not done any more. */
  cancel(): void {
    this.#waiting?.cancel();
    this.#waiting = null;
  }
}
