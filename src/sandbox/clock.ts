import { setImmediate } from 'node:timers/promises';
import type { Clock, Timer } from '../infra/clock.js';
import { Mutex } from '../infra/concurrency/mutex.js';
import { isDoneWithin } from '../infra/concurrency/timeouts.js';
import { MAX_ID, snowflakeTime } from '../infra/ids/ids.js';
import { type Duration, parseDuration } from './duration.js';

export interface ClockState {
  /** Milliseconds since the Unix epoch. */
  now: number;
  isFrozen: boolean;
  /** `now` minus real time. It shrinks while the clock is frozen. */
  offsetMs: number;
}

interface Waiting {
  due: number;
  task: () => void | Promise<void>;
}

/** In real time. Work that takes longer probably waits for this clock. */
const STUCK_AFTER_MS = 30_000;

const LAST_MS = snowflakeTime(MAX_ID);

/** Node's limit. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * The time of a service, which tests can freeze and move forward. It begins as real time. The connections of the same
 * server need real time (`AppContext.connectionClock`), because the work of timers waits for them.
 *
 * `advance` and `set` run the timers that fall due in order, each while `now()` is its due time. Before the next one,
 * they wait for the promises that timers have returned, also those that were running before the move. So everything that
 * fell due has finished when they resolve, including timers that were set during the move, and database work. They do
 * not wait for requests, or for what clients do with events. A recurring job that falls due several times runs at its
 * first and last time. Real time that passes in the meantime does not count. Moves wait for each other.
 *
 * A frozen clock still runs timers that are due now, so a job that is added for now runs.
 */
export class SandboxClock implements Clock {
  /** Null while the clock runs. */
  #standsAt: number | null = null;
  /** Applies while the clock runs. */
  #offsetMs = 0;
  #isFrozen = false;
  #movesTo: number | undefined;
  readonly #waiting = new Set<Waiting>();
  readonly #running = new Set<Promise<void>>();
  readonly #moves = new Mutex();
  readonly #listeners = new Set<(state: ClockState) => void>();
  #wake: NodeJS.Timeout | undefined;

  constructor(private readonly stuckAfterMs = STUCK_AFTER_MS) {}

  now(): number {
    return this.#standsAt ?? Date.now() + this.#offsetMs;
  }

  get movesTo(): number | undefined {
    return this.#movesTo;
  }

  after(ms: number, task: () => void | Promise<void>): Timer {
    const entry = { due: this.now() + Math.max(0, ms), task };
    this.#waiting.add(entry);
    this.#wakeLater();
    return { cancel: () => void this.#waiting.delete(entry) };
  }

  state(): ClockState {
    const now = this.now();
    return { now, isFrozen: this.#isFrozen, offsetMs: now - Date.now() };
  }

  /**
   * Calls `listener` after the clock was frozen, resumed or moved.
   * @returns a function that removes the listener
   */
  onMove(listener: (state: ClockState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  freeze(): void {
    this.#isFrozen = true;
    this.#standsAt = this.now();
    this.#wakeLater();
    this.#announce();
  }

  /** Lets time pass again, from where the clock stands. */
  resume(): void {
    this.#isFrozen = false;
    this.#goOn();
    this.#announce();
  }

  /**
   * Moves the clock, which stays frozen if it was. See {@link SandboxClock}.
   * @throws {RangeError} for an invalid duration
   */
  async advance(duration: Duration | (string & {})): Promise<void> {
    const ms = parseDuration(duration);
    await this.#moves.run(() => this.#moveTo(this.now() + ms));
  }

  /**
   * Like {@link advance}.
   * @param date a date, an ISO 8601 text, or milliseconds since the Unix epoch
   * @throws {RangeError} for an invalid date, or one in the past of this clock
   */
  async set(date: Date | string | number): Promise<void> {
    const end = new Date(date).getTime();
    if (Number.isNaN(end))
      throw new RangeError(`${JSON.stringify(date)} is not a date: write one such as 2030-01-31T12:00:00Z`);
    await this.#moves.run(() => this.#moveTo(end));
  }

  async #moveTo(end: number): Promise<void> {
    requireMove(this.now(), end);
    clearTimeout(this.#wake);
    this.#movesTo = end;
    this.#standsAt = this.now();
    try {
      await this.#settle();
      for (let due = this.#nextDue(); due <= end; due = this.#nextDue()) {
        this.#standsAt = Math.max(due, this.now());
        this.#runDue();
        await this.#settle();
      }
      this.#standsAt = end;
    } finally {
      this.#movesTo = undefined;
      this.#goOn();
      this.#announce();
    }
  }

  /** @throws {Error} if work does not finish */
  async #settle(): Promise<void> {
    const giveUpAt = performance.now() + this.stuckAfterMs;
    do {
      const work = Promise.allSettled(this.#running);
      if (!(await isDoneWithin(giveUpAt - performance.now(), work))) {
        throw new Error(
          `the clock stopped at ${textOf(this.now())}: work that fell due then did not finish within ${this.stuckAfterMs / 1_000} s`,
        );
      }
      // The work may have continued something that sets further timers.
      await setImmediate();
    } while (this.#running.size > 0);
  }

  #goOn(): void {
    if (this.#movesTo !== undefined) return;
    if (!this.#isFrozen && this.#standsAt !== null) {
      this.#offsetMs = this.#standsAt - Date.now();
      this.#standsAt = null;
    }
    this.#wakeLater();
  }

  /** Runs due timers without {@link advance}. */
  #wakeLater(): void {
    if (this.#movesTo !== undefined) return;
    clearTimeout(this.#wake);
    const wait = this.#nextDue() - this.now();
    if (wait === Number.POSITIVE_INFINITY || (this.#standsAt !== null && wait > 0)) return;
    const wake = () => {
      try {
        this.#runDue();
      } finally {
        this.#wakeLater();
      }
    };
    this.#wake = setTimeout(wake, Math.min(wait, LONGEST_TIMEOUT_MS)).unref();
  }

  #nextDue(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of this.#waiting) next = Math.min(next, due);
    return next;
  }

  #runDue(): void {
    const now = this.now();
    const due = [...this.#waiting].filter((entry) => entry.due <= now).sort((a, b) => a.due - b.due);
    for (const entry of due) if (this.#waiting.delete(entry)) this.#run(entry);
  }

  #run({ task }: Waiting): void {
    const work = task();
    if (!(work instanceof Promise)) return;
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  #announce(): void {
    const state = this.state();
    for (const listener of this.#listeners) listener(state);
  }
}

/** @throws {RangeError} */
function requireMove(now: number, end: number): void {
  if (end < now) throw new RangeError(`the clock cannot go back: it is ${textOf(now)}, later than ${textOf(end)}`);
  if (end > LAST_MS) {
    throw new RangeError(`the clock cannot go beyond ${textOf(LAST_MS)}, when snowflake ids end`);
  }
}

function textOf(ms: number): string {
  return new Date(ms).toISOString();
}
