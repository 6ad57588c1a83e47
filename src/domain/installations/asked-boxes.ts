import type { Clock } from '../../infra/clock.js';
import { GuildUnavailable } from '../guilds/store.js';

const JOBS_PER_BOX = 4;

/** Retry delay while a box has `JOBS_PER_BOX` pending requests, in milliseconds. */
const BUSY_MS = 5_000;

/** Pause after a box did not respond, in milliseconds. */
const SILENT_MS = 60_000;

export class AskLater extends Error {
  override readonly name = 'AskLater';

  /** @param at when to retry, in milliseconds since the Unix epoch */
  constructor(readonly at: number) {
    super('The box is busy or did not respond recently. Retry later.');
  }
}

/** Limits the jobs per box, so that an unresponsive box cannot block the others. */
export class AskedBoxes {
  readonly #asking = new Map<bigint, number>();
  readonly #silentUntil = new Map<bigint, number>();

  /** @throws AskLater, and the errors of `question` */
  async ask<Answer>(clock: Clock, boxId: bigint, question: () => Promise<Answer>): Promise<Answer> {
    this.#requireRoom(boxId, clock.now());
    this.#count(boxId, 1);
    try {
      return await question();
    } catch (error) {
      if (error instanceof GuildUnavailable && !error.isAway) this.#silentUntil.set(boxId, clock.now() + SILENT_MS);
      throw error;
    } finally {
      this.#count(boxId, -1);
    }
  }

  #requireRoom(boxId: bigint, now: number): void {
    const silentUntil = this.#silentUntil.get(boxId) ?? now;
    if (silentUntil > now) throw new AskLater(silentUntil);
    this.#silentUntil.delete(boxId);
    if (this.#askingOf(boxId) >= JOBS_PER_BOX) throw new AskLater(now + BUSY_MS);
  }

  #count(boxId: bigint, change: number): void {
    const asking = this.#askingOf(boxId) + change;
    if (asking === 0) this.#asking.delete(boxId);
    else this.#asking.set(boxId, asking);
  }

  #askingOf(boxId: bigint): number {
    return this.#asking.get(boxId) ?? 0;
  }
}
