import { Lines } from '../infra/lines.js';

/**
 * In which order it is told what was written, of each place: a server, or what else an event is about. In the order in which turns were taken
 * there. A database lets go of what a transaction holds before its answer is back here, so another one that waited for it may be answered
 * first, although it came after it.
 */
export class CommitOrder {
  readonly #lines = new Lines<bigint>();

  /**
   * Writes, and tells what was written after everybody who took a turn in one of its places before.
   * @param write is handed what it calls with its places, once, where it has something to tell: a transaction as its last step before the commit
   * @throws what `write` throws; nothing is told then, and nobody waits for it
   */
  async tellInTurn<T>(write: (takeTurn: TakeTurn) => Promise<T>, tell: (result: T) => void): Promise<T> {
    let told: Promise<void> | undefined;
    let answer: (tellIt: () => void) => void = () => {};
    const takeTurn: TakeTurn = (places) => {
      const answered = new Promise<() => void>((resolve) => {
        answer = resolve;
      });
      told = this.#lines.runInAll(places, async () => (await answered)());
    };
    try {
      const result = await write(takeTurn);
      answer(() => tell(result));
      await told;
      return result;
    } finally {
      answer(() => {});
    }
  }
}

/** Takes a turn in each of these places. */
export type TakeTurn = (places: readonly bigint[]) => void;
