import type { Clock } from '../../infra/clock.js';

const REMEMBERED_MS = 10_000;

/** Sessions that are leaving this process, or have left it a short time ago, until their arrival is known. */
export class DepartedSessions {
  /** Their moves; null for those that are still leaving. */
  readonly #moves = new Map<string, string | null>();

  constructor(private readonly clock: Clock) {}

  has(sessionId: string): boolean {
    return this.#moves.has(sessionId);
  }

  hasAnyOf(moveId: string): boolean {
    return [...this.#moves.values()].includes(moveId);
  }

  add(sessionId: string, moveId: string | null = null): void {
    this.#moves.set(sessionId, moveId);
    this.clock.after(REMEMBERED_MS, () => this.forget(sessionId));
  }

  forget(sessionId: string): void {
    this.#moves.delete(sessionId);
  }

  forgetAllOf(moveId: string): void {
    for (const [id, known] of this.#moves) if (known === moveId) this.#moves.delete(id);
  }
}
