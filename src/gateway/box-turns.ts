import type { AppContext } from '../context.js';
import { KeyedSemaphore, type Release } from '../infra/concurrency/semaphore.js';
import { idSpaceOf } from '../infra/ids/ids.js';

/** Guilds of one box loaded at once. Each takes several calls, and a process makes at most 64 at once per box. */
const GUILDS_AT_ONCE = 24;

/** The id space of the guild's box; null if the guild is not on a box. */
export function placeOfGuild(app: AppContext, guildId: bigint): number | null {
  return app.boxRoutes.mayHave(guildId) ? idSpaceOf(guildId) : null;
}

/** Limits concurrent guild loads per box, for all sessions. */
export class BoxTurns {
  readonly #semaphores = new KeyedSemaphore<number>(GUILDS_AT_ONCE);

  constructor(private readonly app: AppContext) {}

  async take(guildId: bigint): Promise<Release> {
    const place = placeOfGuild(this.app, guildId);
    return place === null ? () => {} : this.#semaphores.take(place);
  }
}
