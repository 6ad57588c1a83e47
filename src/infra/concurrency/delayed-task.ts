import type { Clock, Timer } from '../clock.js';
import { Mutex } from './mutex.js';

/** Runs never overlap. */
export class DelayedTask {
  #timer: Timer | null = null;
  readonly #mutex = new Mutex();

  /** @param work does everything that is pending; must not reject */
  constructor(
    private readonly clock: Clock,
    private readonly work: () => Promise<void>,
  ) {}

  for(ms: number): void {
    this.#timer ??= this.clock.after(ms, () => this.now());
  }

  /** Settles when this run and any earlier one have ended. */
  now(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    return this.#mutex.run(this.work);
  }
}
