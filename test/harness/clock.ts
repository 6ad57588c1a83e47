import type { Clock, Timer } from '../../src/infra/clock.js';

interface Waiting {
  due: number;
  task: () => void;
}

/** A clock that stands still until the test moves it. */
export class ManualClock implements Clock {
  #now: number;
  readonly #waiting = new Set<Waiting>();

  constructor(start = Date.now()) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  after(ms: number, task: () => void): Timer {
    const entry = { due: this.#now + ms, task };
    this.#waiting.add(entry);
    return { cancel: () => this.#waiting.delete(entry) };
  }

  /** Moves the time on by `ms`, running what falls due on the way, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#nextDue(end); next; next = this.#nextDue(end)) {
      this.#waiting.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.task();
    }
    this.#now = end;
  }

  #nextDue(end: number): Waiting | undefined {
    return [...this.#waiting].filter((entry) => entry.due <= end).sort((a, b) => a.due - b.due)[0];
  }
}
