import type { AppContext } from '../../context.js';
import { boxHolder } from '../../domain/boxes/index.js';
import type { BoxesHere } from './boxes-here.js';
import type { Asker } from './far/asker.js';
import type { JoinedWrites } from './joined-writes.js';
import { BoxError, type BoxLine, type BoxLines } from './lines.js';

export interface LinesParts {
  app: AppContext;
  here: BoxesHere;
  joined: JoinedWrites;
  /** The way to other processes; null for a process alone. */
  asker: Asker | null;
}

/** The lines to all boxes: those of this process, and by way of others theirs. */
export class LinesOfCloud implements BoxLines {
  constructor(private readonly parts: LinesParts) {}

  async to(boxId: bigint): Promise<BoxLine | null> {
    return this.here(boxId) ?? (await this.#far(boxId));
  }

  /** The line to a box of this process, on which writes that are repeated are joined; null for one that is not connected to it. */
  here(boxId: bigint): BoxLine | null {
    return this.parts.here.get(boxId)?.isServing ? this.#joining(boxId) : null;
  }

  async #far(boxId: bigint): Promise<BoxLine | null> {
    const { app, asker } = this.parts;
    const holder = await boxHolder(app.db.reader, boxId);
    if (asker && holder && holder.holderId !== app.live.id) return asker.lineTo(boxId, holder.holderId);
    return null;
  }

  /**
   * Repetitions meet at the process that has the box, whichever process they came to. What is sent takes the box's newest connection, also where
   * it is sent once more because the one before was replaced (docs/relay.md, R-16).
   */
  #joining(boxId: bigint): BoxLine {
    const { here, joined } = this.parts;
    const newest = () => {
      const connection = here.get(boxId);
      if (!connection) throw new BoxError('offline', 'the box is not connected any more');
      return connection;
    };
    return {
      boxId,
      request: async (request, errand) => {
        const { fingerprint } = errand;
        if (fingerprint === undefined) return newest().request(request, errand);
        return joined.perform({ ...errand, fingerprint }, async (once) => newest().request(request, once));
      },
      call: async (name, input, errand) => newest().call(name, input, errand),
    };
  }
}
