import type { Clock } from './clock.js';

/**
 * The answer, if it comes in time.
 * @param ms how long it is waited for. An answer that has arrived by then counts, though the process was too busy to read it.
 * @throws what the answer is rejected with, and an Error that says how long was waited
 */
export function within<T>(clock: Clock, ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${ms} ms`));
    const timer = clock.after(ms, () => setImmediate(late));
    answer.then(resolve, reject).finally(() => timer.cancel());
  });
}

/**
 * Waits for `work`, but no longer than `ms` milliseconds of real time; it goes on by itself then.
 * @returns whether it was done in time. What had arrived by then counts, though the process was too busy to read it.
 */
export async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, false), ms);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
