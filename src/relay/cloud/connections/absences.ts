import type { AppContext } from '../../../context.js';
import { boxHolder, guildsOfBox } from '../../../domain/boxes/index.js';
import { refusalIn } from '../../../domain/errors.js';
import type { Timer } from '../../../infra/clock.js';
import { forEachYielding } from '../../../infra/concurrency/event-loop.js';

/** Delay before bots learn that a box is offline (docs/relay.md, R-42). */
const UNTOLD_MS = 3_000;

const GUILDS_PER_TURN = 50;

export interface AbsenceParts {
  /** The box can no longer resume its event session. */
  onOver(boxId: bigint): void;
  isBack(boxId: bigint): boolean;
}

/** Delays reports of offline boxes, which may return soon. */
export class Absences {
  readonly #timers = new Map<bigint, Timer>();

  constructor(
    private readonly app: AppContext,
    private readonly parts: AbsenceParts,
  ) {}

  begin(boxId: bigint): void {
    this.end(boxId);
    const timer = this.app.connectionClock.after(UNTOLD_MS, () => void this.#over(boxId));
    this.#timers.set(boxId, timer);
  }

  end(boxId: bigint): void {
    this.#timers.get(boxId)?.cancel();
    this.#timers.delete(boxId);
  }

  /** If the box is connected to another process, that process notifies the bots. */
  async #over(boxId: bigint): Promise<void> {
    this.#timers.delete(boxId);
    this.parts.onOver(boxId);
    try {
      const { app } = this;
      const holder = await boxHolder(app.db.reader, boxId);
      const isElsewhere = holder?.holderId != null && holder.holderId !== app.live.id;
      if (!isElsewhere) await publishUnavailable(app, boxId, () => !this.parts.isBack(boxId));
    } catch (error) {
      if (!refusalIn(error))
        this.app.log.error({ err: error, boxId: String(boxId) }, 'Could not notify clients that a box is offline');
    }
  }
}

/** @param isAway called again before each guild */
export async function publishUnavailable(app: AppContext, boxId: bigint, isAway = () => true): Promise<void> {
  const guilds = await guildsOfBox(app.db.reader, boxId);
  await forEachYielding(guilds, GUILDS_PER_TURN, ({ id }) => {
    if (isAway()) app.publish({ type: 'GUILD_DELETE', guildId: id, unavailable: true });
  });
}
