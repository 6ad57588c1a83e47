/** Counts running work, so that a stop can wait for the last of it. */
export class Door {
  #running = 0;
  #isClosed = false;
  #onEmpty: () => void = () => {};

  /** @param refusal creates the error of work that comes after the end */
  constructor(private readonly refusal: () => Error) {}

  /** @throws the refusal */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw this.refusal();
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onEmpty();
    }
  }

  /** Refuses further work. Resolves when the running work is done. */
  close(): Promise<void> {
    this.#isClosed = true;
    return new Promise((resolve) => {
      if (this.#running === 0) resolve();
      else this.#onEmpty = resolve;
    });
  }
}
