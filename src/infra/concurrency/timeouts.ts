import type { Clock } from '../clock.js';

/**
 * @param ms an answer that has arrived by then counts, even if the process was too busy to read it
 * @throws the rejection of `answer`, or an Error after the time limit
 */
export function within<T>(clock: Clock, ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${ms} ms`));
    const timer = clock.after(ms, () => void setImmediate(late));
    answer.then(resolve, reject).finally(() => timer.cancel());
  });
}

/**
 * Waits in real time. The work continues after the time limit.
 * @returns whether it finished in time, even if the process was too busy to notice
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
