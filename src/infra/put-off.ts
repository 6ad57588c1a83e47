import type { Clock, Timer } from './clock.js';

/** Work that nobody waits for: put off for a while, so that more of it is done at once, and done by one after the other. */
export class PutOff {
  #timer: Timer | null = null;
  #done: Promise<void> = Promise.resolve();

  /** @param work does what there is to do by then; does not fail */
  constructor(
    private readonly clock: Clock,
    private readonly work: () => Promise<void>,
  ) {}

  /** Has it done after `ms` milliseconds, unless it is put off already. */
  for(ms: number): void {
    this.#timer ??= this.clock.after(ms, () => void this.now());
  }

  /** Does it now. Settles when nothing is under way any more. */
  now(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#done = this.#done.then(this.work);
    return this.#done;
  }
}
