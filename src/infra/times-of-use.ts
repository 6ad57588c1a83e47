import type { Clock } from './clock.js';
import { DelayedTask } from './concurrency/delayed-task.js';
import type { Logger } from './observability/logger.js';

const STORED_EVERY_MS = 60_000;

export interface UseParts {
  clock: Clock;
  log: Logger;
}

/**
 * Stores when things were last used, in at most one batch a minute. The first use after a quiet minute is stored at
 * once. Callers do not wait. The next batch retries a failed write.
 */
export class TimesOfUse<Id> {
  readonly #times = new Map<Id, Date>();
  readonly #storing: DelayedTask;
  #nextAt = 0;

  /** @param store must not replace a later time */
  constructor(
    private readonly parts: UseParts,
    private readonly store: (id: Id, usedAt: Date) => Promise<unknown>,
  ) {
    this.#storing = new DelayedTask(parts.clock, () => this.#storeAll());
  }

  note(id: Id): void {
    this.#times.set(id, new Date(this.parts.clock.now()));
    this.#storeSoon();
  }

  /** Stores pending times now. Failures are only logged. */
  settle(): Promise<void> {
    return this.#storing.now();
  }

  #storeSoon(): void {
    this.#storing.for(Math.max(this.#nextAt - this.parts.clock.now(), 0));
  }

  async #storeAll(): Promise<void> {
    this.#nextAt = this.parts.clock.now() + STORED_EVERY_MS;
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
