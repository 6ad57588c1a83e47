import type { Clock, Timer } from '../infra/clock.js';

export interface PaceLimit {
  times: number;
  windowMs: number;
}

/** Limits the rate of calls. Of the calls beyond the limit, only the latest runs, as soon as the limit allows. */
export class Pace {
  /** Times of past runs, oldest first. */
  #done: number[] = [];
  #waiting: Timer | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly limit: PaceLimit,
  ) {}

  do(work: () => Promise<void>): Promise<void> {
    this.cancel();
    const now = this.clock.now();
    this.#done = this.#done.filter((at) => now - at < this.limit.windowMs);
    const [oldest] = this.#done;
    if (oldest === undefined || this.#done.length < this.limit.times) {
      this.#done.push(now);
      return work();
    }
    this.#waiting = this.clock.after(oldest + this.limit.windowMs - now, () => this.do(work));
    return Promise.resolve();
  }

  cancel(): void {
    this.#waiting?.cancel();
    this.#waiting = null;
  }
}
