import type { Release } from '../infra/slots.js';

/** A stream's turn to have a value worked out. */
export class Turn {
  #release: Release | null = null;

  begin(release: Release): void {
    this.#release = release;
  }

  /** Safe to call at any time. */
  end(): void {
    this.#release?.();
    this.#release = null;
  }
}
