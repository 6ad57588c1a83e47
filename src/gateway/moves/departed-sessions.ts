import type { Clock, Timer } from '../../infra/clock.js';

const REMEMBERED_MS = 10_000;

interface Departure {
  /** Null while the session is still leaving. */
  moveId: string | null;
  expiry: Timer;
}

/** Sessions that are leaving this process, or have left it a short time ago, until their arrival is known. */
export class DepartedSessions {
  readonly #departures = new Map<string, Departure>();

  constructor(private readonly clock: Clock) {}

  has(sessionId: string): boolean {
    return this.#departures.has(sessionId);
  }

  hasAnyOf(moveId: string): boolean {
    return [...this.#departures.values()].some((departure) => departure.moveId === moveId);
  }

  add(sessionId: string, moveId: string | null = null): void {
    this.forget(sessionId);
    const expiry = this.clock.after(REMEMBERED_MS, () => this.forget(sessionId));
    this.#departures.set(sessionId, { moveId, expiry });
  }

  forget(sessionId: string): void {
    this.#departures.get(sessionId)?.expiry.cancel();
    this.#departures.delete(sessionId);
  }

  forgetAllOf(moveId: string): void {
    for (const [id, departure] of this.#departures) if (departure.moveId === moveId) this.forget(id);
  }
}
