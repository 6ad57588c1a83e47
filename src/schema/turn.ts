import type { Release } from '../infra/concurrency/semaphore.js';

/** A stream's permit to compute a value. */
export class Turn {
  #release: Release | null = null;
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** After {@link close}, releases it immediately. */
  begin(release: Release): void {
    if (this.#isClosed) release();
    else this.#release = release;
  }

  /** Safe to call at any time. */
  end(): void {
    this.#release?.();
    this.#release = null;
  }

  /** Releases the current permit and all later ones. */
  close(): void {
    this.#isClosed = true;
    this.end();
  }
}
