/** `cancel` may be called more than once. */
export interface Timer {
  cancel(): void;
}

/** The only source of time, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * The timer does not keep the process alive.
   * @param task its promise settles when everything that fell due has finished, and must not wait for a later timer of
   * this clock. A clock that is moved waits for it; real time does not.
   */
  after(ms: number, task: () => void | Promise<void>): Timer;
  /** While the clock is being moved: where it will stop. Work that recurs until then should not run every time. */
  readonly movesTo?: number | undefined;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const handle = setTimeout(task, ms);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Has the time of `clock` and the timers of `timers`. */
export function withTimersOf(timers: Clock, clock: Clock): Clock {
  return { now: () => clock.now(), after: (ms, task) => timers.after(ms, task) };
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}
