import type { Clock, Timer } from './clock.js';
import type { Logger } from './logger.js';

/** How often times are stored, in milliseconds. */
const STORED_EVERY_MS = 60_000;

export interface UseParts {
  clock: Clock;
  log: Logger;
}

/**
 * When things were used last, stored now and then: at once where nothing was stored in the last minute, else when that is over, so that a thing
 * that is used all the time is written once a minute by a process. Nobody waits for it, and what cannot be stored is tried with the next.
 */
export class TimesOfUse<Id> {
  /** What is not stored yet. */
  readonly #times = new Map<Id, Date>();
  #timer: Timer | null = null;
  #nextAt = 0;
  #storing: Promise<void> = Promise.resolve();

  /** @param store stores when a thing was used, unless a later time is there */
  constructor(
    private readonly parts: UseParts,
    private readonly store: (id: Id, usedAt: Date) => Promise<unknown>,
  ) {}

  /** Something is being used. */
  note(id: Id): void {
    this.#times.set(id, new Date(this.parts.clock.now()));
    this.#storeSoon();
  }

  /** Stores what is not stored yet. What fails is logged. */
  settle(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#nextAt = this.parts.clock.now() + STORED_EVERY_MS;
    this.#storing = this.#storing.then(() => this.#storeAll());
    return this.#storing;
  }

  #storeSoon(): void {
    const { clock } = this.parts;
    this.#timer ??= clock.after(Math.max(this.#nextAt - clock.now(), 0), () => void this.settle());
  }

  async #storeAll(): Promise<void> {
    const times = [...this.#times];
    this.#times.clear();
    for (const [index, [id, usedAt]] of times.entries()) {
      try {
        await this.store(id, usedAt);
      } catch (error) {
        this.parts.log.warn({ err: error }, 'when something was used could not be stored; it is tried again');
        this.#keep(times.slice(index));
        return;
      }
    }
  }

  /** Has them stored with the next. */
  #keep(times: [Id, Date][]): void {
    for (const [id, usedAt] of times) if (!this.#times.has(id)) this.#times.set(id, usedAt);
    this.#storeSoon();
  }
}
