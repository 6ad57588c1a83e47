import { KeyedMutex } from '../infra/concurrency/mutex.js';

/**
 * Publishes events in commit order for each place, such as a guild. A database releases locks before it answers, so a
 * later transaction may be answered first.
 */
export class CommitOrder {
  readonly #mutex = new KeyedMutex<bigint>();

  /**
   * Runs `write`, then `tell`. `tell` waits for every earlier call that took a turn in one of the same places.
   * @param write calls `takeTurn` once if it has events. A transaction does so as its last step before the commit.
   * @throws what `write` throws; nothing is published then
   */
  async tellInTurn<T>(write: (takeTurn: TakeTurn) => Promise<T>, tell: (result: T) => void): Promise<T> {
    let told: Promise<void> | undefined;
    let answer: (tellIt: () => void) => void = () => {};
    const takeTurn: TakeTurn = (places) => {
      const answered = new Promise<() => void>((resolve) => {
        answer = resolve;
      });
      told = this.#mutex.runInAll(places, async () => (await answered)());
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

export type TakeTurn = (places: readonly bigint[]) => void;
