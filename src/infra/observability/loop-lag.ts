const BEAT_MS = 20;

/** Keeps the longest block for this long, or up to twice as long. */
const MEMORY_MS = 30_000;

/** Measures in monotonic time. */
export interface EventLoopWatch {
  /** Longest block of the last 30 to 60 seconds. */
  longestBlockMs(): number;
  /** Current delay. */
  lagMs(): number;
  /** May be called more than once. */
  stop(): void;
}

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
