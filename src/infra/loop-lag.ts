/** How often it is looked whether the event loop is on time, in milliseconds. */
const BEAT_MS = 20;

/** How long the longest block is remembered at least, in milliseconds; twice as long at most. */
const MEMORY_MS = 30_000;

/** How long others wait for their turn of the event loop. It is about this process's own time, whatever the clock says. */
export interface EventLoopWatch {
  /** The longest time in which nobody had a turn, of the last 30 to 60 seconds, in milliseconds. */
  longestBlockMs(): number;
  /** How late the event loop is at the moment, in milliseconds. */
  lagMs(): number;
  /** Safe to call more than once. */
  stop(): void;
}

/** Watches the event loop with a timer that does not keep the process alive. */
export function watchEventLoop(): EventLoopWatch {
  let due = performance.now() + BEAT_MS;
  let lag = 0;
  let longest = 0;
  let longestBefore = 0;
  const overdue = () => Math.max(0, performance.now() - due);
  const beat = setInterval(() => {
    lag = overdue();
    longest = Math.max(longest, lag);
    due = performance.now() + BEAT_MS;
  }, BEAT_MS);
  const forget = setInterval(() => {
    longestBefore = longest;
    longest = 0;
  }, MEMORY_MS);
  for (const timer of [beat, forget]) timer.unref();
  return {
    longestBlockMs: () => Math.max(longest, longestBefore, overdue()),
    lagMs: () => Math.max(lag, overdue()),
    stop() {
      clearInterval(beat);
      clearInterval(forget);
    },
  };
}
