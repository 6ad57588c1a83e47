/** What is loaded or made when it is first asked for, once for all who ask. */
export class Lazy<Thing> {
  #making: Promise<Thing> | undefined;

  constructor(private readonly make: () => Promise<Thing>) {}

  /** After a failure, the next one to ask tries again. */
  get(): Promise<Thing> {
    this.#making ??= this.make().catch((error: unknown) => {
      this.#making = undefined;
      throw error;
    });
    return this.#making;
  }

  /** The same where somebody has asked for it, and nothing where nobody has. */
  ifAsked(): Promise<Thing> | undefined {
    return this.#making;
  }
}
