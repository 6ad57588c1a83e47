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

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}
