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

/** The real time, which the test can move on. */
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

  /** Moves the time on by `ms`, running what falls due, in order. */
  advance(ms: number): void {
    this.#movedMs += ms;
    for (const entry of [...this.#waiting.keys()].sort((a, b) => a.due - b.due)) {
      if (!this.#waiting.has(entry)) continue;
      this.#remove(entry);
      if (entry.due <= this.now()) entry.task();
      else this.#start(entry);
    }
  }

  /** Moves the time on by `ms` as soon as something begins to wait for that long. */
  async skip(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onWait = (asked) => asked === ms && resolve();
    });
    this.#onWait = () => {};
    this.advance(ms);
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
