/** Loads a value on first use, once for all callers. */
export class Lazy<Thing> {
  #making: Promise<Thing> | undefined;

  constructor(private readonly make: () => Promise<Thing>) {}

  /** After a failure, the next call tries again. */
  get(): Promise<Thing> {
    this.#making ??= this.make().catch((error: unknown) => {
      this.#making = undefined;
      throw error;
    });
    return this.#making;
  }

  ifAsked(): Promise<Thing> | undefined {
    return this.#making;
  }
}
