import type { AppContext } from '../../context.js';
import { boxHolder } from '../../domain/boxes/index.js';
import type { BoxesHere } from './boxes-here.js';
import type { Asker } from './far/asker.js';
import type { JoinedWrites } from './joined-writes.js';
import type { BoxLine, BoxLines, Errand, ForwardedRequest } from './lines.js';

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
    const { here, joined } = this.parts;
    const connection = here.get(boxId);
    return connection?.isServing ? joining(connection, joined) : null;
  }

  async #far(boxId: bigint): Promise<BoxLine | null> {
    const { app, asker } = this.parts;
    const holder = await boxHolder(app.db.reader, boxId);
    if (asker && holder && holder.holderId !== app.live.id) return asker.lineTo(boxId, holder.holderId);
    return null;
  }
}

/** Repetitions meet at the process that has the box, whichever process they came to. */
function joining(line: BoxLine, joined: JoinedWrites): BoxLine {
  return {
    boxId: line.boxId,
    request: (request: ForwardedRequest, errand: Errand) => {
      const { fingerprint } = errand;
      if (fingerprint === undefined) return line.request(request, errand);
      return joined.perform({ ...errand, fingerprint }, (once) => line.request(request, once));
    },
    call: (name, input, errand) => line.call(name, input, errand),
  };
}
