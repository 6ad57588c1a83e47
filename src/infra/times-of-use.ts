import type { Clock, Timer } from './clock.js';
import type { Logger } from './observability/logger.js';

const STORED_EVERY_MS = 60_000;

export interface UseParts {
  clock: Clock;
  log: Logger;
}

/**
 * Stores when things were last used, in batches: at once after a minute without writes, else when that minute ends. A
 * process writes each thing at most once a minute. Callers do not wait, and a failed write is retried with the next
 * batch.
 */
export class TimesOfUse<Id> {
  readonly #times = new Map<Id, Date>();
  #timer: Timer | null = null;
  #nextAt = 0;
  #storing: Promise<void> = Promise.resolve();

  /** @param store must not replace a later time */
  constructor(
    private readonly parts: UseParts,
    private readonly store: (id: Id, usedAt: Date) => Promise<unknown>,
  ) {}

  note(id: Id): void {
    this.#times.set(id, new Date(this.parts.clock.now()));
    this.#storeSoon();
  }

  /** Failures are logged. */
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
        this.parts.log.warn({ err: error }, 'Could not store when credentials were last used; trying again later');
        this.#keep(times.slice(index));
        return;
      }
    }
  }

  #keep(times: [Id, Date][]): void {
    for (const [id, usedAt] of times) if (!this.#times.has(id)) this.#times.set(id, usedAt);
    this.#storeSoon();
  }
}
