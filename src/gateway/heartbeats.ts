import type { Clock, Timer } from '../infra/clock.js';
import { type Close, closes, HEARTBEAT_SILENCE_MS } from './protocol.js';

/** Closes connections that stay silent, with one timer for all. */
export class Heartbeats {
  /** When each connection sent its last heartbeat, the longest silent first. */
  readonly #heardAt = new Map<{ close(close: Close): void }, number>();
  #timer: Timer | null = null;

  constructor(private readonly clock: Clock) {}

  /** Call this for a new connection too. */
  note(connection: { close(close: Close): void }): void {
    this.#heardAt.delete(connection);
    this.#heardAt.set(connection, this.clock.now());
    this.#timer ??= this.clock.after(HEARTBEAT_SILENCE_MS, () => this.#check());
  }

  forget(connection: { close(close: Close): void }): void {
    this.#heardAt.delete(connection);
  }

  #check(): void {
    this.#timer = null;
    for (const [connection, heardAt] of this.#heardAt) {
      const left = heardAt + HEARTBEAT_SILENCE_MS - this.clock.now();
      if (left > 0) {
        this.#timer = this.clock.after(left, () => this.#check());
        return;
      }
      this.#heardAt.delete(connection);
      connection.close(closes.silent);
    }
  }
}
