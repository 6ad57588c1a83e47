/** `cancel` may be called more than once. */
export interface Timer {
  cancel(): void;
}

/** The only source of time, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** The timer does not keep the process alive. */
  after(ms: number, task: () => void): Timer;
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
