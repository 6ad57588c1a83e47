import { setTimeout } from 'node:timers/promises';
import { isTooSlow, isWriteConflict } from './faults.js';

/** How long a write that conflicts with others is tried again, in milliseconds: as long as one waits for its turn. */
const CONFLICTS_MS = 10_000;

/** A write never got its turn: too many others go on at the same time. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';

  constructor(cause: unknown) {
    super('the database is busy', { cause });
  }
}

/** Runs the writes of one process, again where one met another that it could not go beside. */
export class ConflictRetries {
  /** Writes that met a conflict go one after the other from then on: what they still meet are those of other processes. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @throws DatabaseBusy when the write never gets its turn, and what `write` throws */
  async run<T>(write: () => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + CONFLICTS_MS;
    try {
      return await write();
    } catch (error) {
      if (isTooSlow(error)) throw new DatabaseBusy(error);
      if (!isWriteConflict(error)) throw error;
    }
    const retried = this.#turn.then(() => retry(write, giveUpAt));
    this.#turn = retried.catch(() => {});
    return retried;
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
