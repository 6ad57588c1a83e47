/**
 * How often the event loop goes round from one turn to the next. Each time it takes a single new connection (libuv 1.45 and newer),
 * so whoever connects while others work in pieces would wait for as many pieces as there are connections before it.
 */
const ROUNDS_PER_TURN = 10;

/** Those who wait for a turn, the longest first. */
const line: (() => void)[] = [];

/**
 * Settles after sockets, timers and other requests had a turn. A database that answers within the process, or a result that is
 * remembered, never lets go of the event loop by itself. Everybody who asks stands in one line, and one goes on in each turn,
 * so that a turn is as long as one piece of work, however many work in pieces. The line may be long: nothing that
 * others wait for, such as a transaction, stands in it.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve);
    if (line.length === 1) setImmediate(serveLine, ROUNDS_PER_TURN);
  });
}

function serveLine(rounds: number): void {
  if (rounds > 1) return void setImmediate(serveLine, rounds - 1);
  line.shift()?.();
  if (line.length > 0) setImmediate(serveLine, ROUNDS_PER_TURN);
}

/**
 * Settles when sockets and timers were served once. For somebody whom others wait for, such as within a transaction, who must not stand
 * in the line of {@link nextTurn}.
 */
export function nextRound(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/**
 * Does `work` for one item after the other, and lets others have a turn before every piece of `size` items.
 * @param size as many items as take a few milliseconds
 */
export async function inTurns<Item>(items: Iterable<Item>, size: number, work: (item: Item) => unknown): Promise<void> {
  let done = 0;
  for (const item of items) {
    if (done % size === 0) await nextTurn();
    done += 1;
    await work(item);
  }
}

/**
 * Does the same piece of work until there is none left, and lets others have a turn before each time.
 * @param workOnSome does as much as takes a few milliseconds, and answers whether there may be more
 * @throws the reason of `signal` when that is aborted
 */
export async function untilNoneIsLeft(signal: AbortSignal, workOnSome: () => Promise<boolean>): Promise<void> {
  do {
    await nextTurn();
    signal.throwIfAborted();
  } while (await workOnSome());
}

/** A list cut into pieces of at most `size`. */
export function inPieces<T>(list: readonly T[], size: number): T[][] {
  const pieces: T[][] = [];
  for (let start = 0; start < list.length; start += size) pieces.push(list.slice(start, start + size));
  return pieces;
}
