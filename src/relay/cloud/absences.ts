import type { AppContext } from '../../context.js';
import { boxHolder, guildsOfBox } from '../../domain/boxes/index.js';
import { refusalIn } from '../../domain/errors.js';
import type { Timer } from '../../infra/clock.js';
import { inTurns } from '../../infra/turns.js';

/** How long bots are not told that a box is away, in milliseconds (docs/relay.md, R-42). */
const UNTOLD_MS = 3_000;

/** Guilds of which it is told before others have a turn. */
const GUILDS_PER_TURN = 50;

export interface AbsenceParts {
  /** The time is over in which a box could have gone on where it was. */
  onOver(boxId: bigint): void;
  /** Whether it is connected to this process again. */
  isBack(boxId: bigint): boolean;
}

/** Boxes that lost their connection to this process, until they are back or their absence was told. */
export class Absences {
  readonly #timers = new Map<bigint, Timer>();

  constructor(
    private readonly app: AppContext,
    private readonly parts: AbsenceParts,
  ) {}

  begin(boxId: bigint): void {
    this.end(boxId);
    const timer = this.app.clock.after(UNTOLD_MS, () => void this.#over(boxId));
    this.#timers.set(boxId, timer);
  }

  end(boxId: bigint): void {
    this.#timers.get(boxId)?.cancel();
    this.#timers.delete(boxId);
  }

  /** A box that is connected again by now is told of where it begins. */
  async #over(boxId: bigint): Promise<void> {
    this.#timers.delete(boxId);
    this.parts.onOver(boxId);
    try {
      const { app } = this;
      const holder = await boxHolder(app.db.reader, boxId);
      const isElsewhere = holder?.holderId != null && holder.holderId !== app.live.id;
      if (!isElsewhere) await tellUnavailable(app, boxId, () => !this.parts.isBack(boxId));
    } catch (error) {
      if (!refusalIn(error))
        this.app.log.error({ err: error, boxId: String(boxId) }, 'the absence of a box was not told');
    }
  }
}

/**
 * Bots lose sight of a box's guilds until they are told that those are back.
 * @param isAway whether it is still so
 */
export async function tellUnavailable(app: AppContext, boxId: bigint, isAway = () => true): Promise<void> {
  const guilds = await guildsOfBox(app.db.reader, boxId);
  await inTurns(guilds, GUILDS_PER_TURN, ({ id }) => {
    if (isAway()) app.publish({ type: 'GUILD_DELETE', guildId: id, unavailable: true });
  });
}
