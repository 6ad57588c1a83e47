import type { Clock } from '../../infra/clock.js';
import { GuildUnavailable } from '../guilds/home.js';

/** How many jobs wait for one box at a time. */
const JOBS_PER_BOX = 4;

/** When to come again where as many wait for the box already, in milliseconds. */
const BUSY_MS = 5_000;

/** For how long a box that did not answer is asked for no other job, in milliseconds. */
const SILENT_MS = 60_000;

/** A box is not asked now. */
export class AskLater extends Error {
  override readonly name = 'AskLater';

  /** @param at when to come again, in milliseconds since the Unix epoch */
  constructor(readonly at: number) {
    super('the box is not asked now');
  }
}

/** The boxes that jobs of this process ask: one that does not answer takes the places of a few jobs only, for the time of one question a minute. */
export class AskedBoxes {
  readonly #asking = new Map<bigint, number>();
  readonly #silentUntil = new Map<bigint, number>();

  /** @throws AskLater; what `question` throws */
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
