import type { Release } from '../infra/slots.js';

/** A stream's turn to have a value worked out. */
export class Turn {
  #release: Release | null = null;
  #isClosed = false;

  /** Whether the stream takes no turn any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Takes the turn that came; one that comes after {@link close} ends at once. */
  begin(release: Release): void {
    if (this.#isClosed) release();
    else this.#release = release;
  }

  /** Safe to call at any time. */
  end(): void {
    this.#release?.();
    this.#release = null;
  }

  /** Ends the turn, and those that are still to come: whoever read the stream is gone. */
  close(): void {
    this.#isClosed = true;
    this.end();
  }
}
