/** A started timer. `cancel` is safe to call at any time, more than once. */
export interface Timer {
  cancel(): void;
}

/** The only source of time for everything that waits or expires, so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `task` once after `ms` milliseconds. A waiting timer does not keep the process alive. */
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

/** Settles after `ms` milliseconds by `clock`. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}
