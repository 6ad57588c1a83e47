import type { AppContext } from '../context.js';
import { idSpaceOf } from '../infra/ids.js';
import { type Release, SlotsOfEach } from '../infra/slots.js';

/**
 * How many guilds of one box are shown to sessions, or looked at for them, at a time: each is a few questions to the box, which
 * answers others, too.
 */
const GUILDS_AT_ONCE = 24;

/** Where a guild is: the id space of its box, which its id tells; null for one that is on none. */
export function placeOfGuild(app: AppContext, guildId: bigint): number | null {
  return app.boxRoutes.mayHave(guildId) ? idSpaceOf(guildId) : null;
}

/** The turns of those who ask a box for guilds as a whole, whichever sessions they ask for: a line for each box. */
export class BoxTurns {
  readonly #lines = new SlotsOfEach<number>(GUILDS_AT_ONCE);

  constructor(private readonly app: AppContext) {}

  /** Settles when it is the turn of the guild, with what ends it: at once for one that is on no box. */
  async take(guildId: bigint): Promise<Release> {
    const place = placeOfGuild(this.app, guildId);
    return place === null ? () => {} : this.#lines.take(place);
  }
}
