/**
 * In which order what transactions did is told: in the order in which their commits were asked for. A database lets go of what a transaction
 * holds before its answer is back here, so another one that waited for it may be answered first, although it came after it.
 */
export class CommitOrder {
  /** Settles when all is told whose commit was asked for so far. */
  #told: Promise<void> = Promise.resolve();

  /**
   * Runs a transaction, and tells what it did after all those whose commit was asked for before its own.
   * @param transact is handed what it calls as its last step before the commit, where it has something to tell
   * @throws what `transact` throws; nothing is told then, and nobody waits for it
   */
  async tellAfterOthers<T>(transact: (asksForCommit: () => void) => Promise<T>, tell: (result: T) => void): Promise<T> {
    let others: Promise<void> | undefined;
    let leave = () => {};
    const asksForCommit = () => {
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      others = this.#told;
      this.#told = others.then(() => left);
    };
    try {
      const result = await transact(asksForCommit);
      await others;
      tell(result);
      return result;
    } finally {
      leave();
    }
  }

  /** Settles when all is told whose commit was asked for by now: for a single statement, which may have waited for any of them. */
  allTold(): Promise<void> {
    return this.#told;
  }
}
