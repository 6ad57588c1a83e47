/**
 * Iterations of the event loop per turn. Each iteration accepts a single new connection (libuv 1.45 and newer), so a
 * new client would otherwise wait for one piece of work per pending connection.
 */
const ROUNDS_PER_TURN = 10;

const queue: (() => void)[] = [];

/**
 * Yields to sockets, timers and other requests, which an in-process database or a cached result never does.
 * All callers share one queue, and one continues per turn. The queue may be long, so code that others wait for must use
 * {@link yieldOnce}.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    queue.push(resolve);
    if (queue.length === 1) setImmediate(serveQueue, ROUNDS_PER_TURN);
  });
}

function serveQueue(rounds: number): void {
  if (rounds > 1) return void setImmediate(serveQueue, rounds - 1);
  queue.shift()?.();
  if (queue.length > 0) setImmediate(serveQueue, ROUNDS_PER_TURN);
}

/** Yields without the queue of {@link yieldToEventLoop}, for code that others wait for, such as a transaction. */
export function yieldOnce(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/**
 * Yields before every `size` items.
 * @param size number of items that take a few milliseconds
 */
export async function forEachYielding<Item>(
  items: Iterable<Item>,
  size: number,
  work: (item: Item) => unknown,
): Promise<void> {
  let done = 0;
  for (const item of items) {
    if (done % size === 0) await yieldToEventLoop();
    done += 1;
    await work(item);
  }
}

/**
 * Yields before each call.
 * @param workOnSome works for a few milliseconds; returns whether there may be more
 * @throws the reason of `signal` when it is aborted
 */
export async function drainInBatches(signal: AbortSignal, workOnSome: () => Promise<boolean>): Promise<void> {
  do {
    await yieldToEventLoop();
    signal.throwIfAborted();
  } while (await workOnSome());
}

export function chunksOf<T>(list: readonly T[], size: number): T[][] {
  const pieces: T[][] = [];
  for (let start = 0; start < list.length; start += size) pieces.push(list.slice(start, start + size));
  return pieces;
}
