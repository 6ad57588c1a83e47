import { type Clock, systemClock, type Timer } from '../../src/infra/clock.js';

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

  get waiting(): number {
    return this.#waiting.size;
  }

  after(ms: number, task: () => void): Timer {
    const entry = { due: this.#now + ms, task };
    this.#waiting.add(entry);
    return { cancel: () => this.#waiting.delete(entry) };
  }

  /** Advances the clock and runs due timers in order. */
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

/** Real time that the test can move forward. */
export class MovableClock implements Clock {
  #movedMs = 0;
  readonly #waiting = new Map<Waiting, Timer>();
  #onWait: (ms: number) => void = () => {};

  now(): number {
    return Date.now() + this.#movedMs;
  }

  after(ms: number, task: () => void): Timer {
    const entry = { due: this.now() + ms, task };
    this.#start(entry);
    this.#onWait(ms);
    return { cancel: () => this.#remove(entry) };
  }

  advance(ms: number): void {
    const end = this.now() + ms;
    for (let next = this.#next(); next && next.due <= end; next = this.#next()) {
      this.#movedMs += Math.max(0, next.due - this.now());
      this.#remove(next);
      next.task();
    }
    this.#movedMs += Math.max(0, end - this.now());
    for (const entry of [...this.#waiting.keys()]) {
      this.#remove(entry);
      this.#start(entry);
    }
  }

  /** Waits for the next `after(ms, …)` with exactly this `ms`, and then advances by it. */
  async advanceOnceWaiting(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onWait = (asked) => asked === ms && resolve();
    });
    this.#onWait = () => {};
    this.advance(ms);
  }

  #next(): Waiting | undefined {
    return [...this.#waiting.keys()].sort((x, y) => x.due - y.due)[0];
  }

  #start(entry: Waiting): void {
    const timer = systemClock.after(entry.due - this.now(), () => {
      this.#remove(entry);
      entry.task();
    });
    this.#waiting.set(entry, timer);
  }

  #remove(entry: Waiting): void {
    this.#waiting.get(entry)?.cancel();
    this.#waiting.delete(entry);
  }
}
