import { setTimeout } from 'node:timers/promises';
import { Mutex } from '../concurrency/mutex.js';
import { isTooSlow, isWriteConflict } from './faults.js';

const CONFLICTS_MS = 10_000;

/** Too many concurrent writes: one timed out or kept conflicting. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';

  constructor(cause: unknown) {
    super('the database is busy', { cause });
  }
}

export class ConflictRetries {
  /** Retries run one after another, so that they do not conflict with each other. */
  readonly #mutex = new Mutex();

  /** @throws DatabaseBusy, and errors of `write` */
  async run<T>(write: () => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + CONFLICTS_MS;
    try {
      return await write();
    } catch (error) {
      if (isTooSlow(error)) throw new DatabaseBusy(error);
      if (!isWriteConflict(error)) throw error;
    }
    return this.#mutex.run(() => retry(write, giveUpAt));
  }
}

async function retry<T>(write: () => Promise<T>, giveUpAt: number): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (isTooSlow(error)) throw new DatabaseBusy(error);
      if (!isWriteConflict(error)) throw error;
      if (performance.now() > giveUpAt) throw new DatabaseBusy(error);
      await setTimeout(Math.random() * Math.min(100, 10 * attempt));
    }
  }
}
