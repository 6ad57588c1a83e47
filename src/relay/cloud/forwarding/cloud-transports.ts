import type { AppContext } from '../../../context.js';
import { boxHolder } from '../../../domain/boxes/index.js';
import type { BoxesHere } from '../connections/boxes-here.js';
import type { CrossProcessClient } from '../cross-process/client.js';
import type { InFlightWrites } from './in-flight-writes.js';
import { BoxError, type BoxTransport, type BoxTransports } from './transport.js';

export interface CloudBoxTransportsParts {
  app: AppContext;
  here: BoxesHere;
  inFlight: InFlightWrites;
  /** Null if there is only one process. */
  crossProcess: CrossProcessClient | null;
}

export class CloudBoxTransports implements BoxTransports {
  constructor(private readonly parts: CloudBoxTransportsParts) {}

  async to(boxId: bigint): Promise<BoxTransport | null> {
    return this.here(boxId) ?? (await this.#far(boxId));
  }

  /** Joins repeated writes. Null if the box is not connected to this process. */
  here(boxId: bigint): BoxTransport | null {
    return this.parts.here.get(boxId)?.isServing ? this.#joining(boxId) : null;
  }

  async #far(boxId: bigint): Promise<BoxTransport | null> {
    const { app, crossProcess } = this.parts;
    const holder = await boxHolder(app.db.reader, boxId);
    if (crossProcess && holder && holder.holderId !== app.live.id)
      return crossProcess.transportTo(boxId, holder.holderId);
    return null;
  }

  /** Each send uses the newest connection (docs/relay.md, R-16). */
  #joining(boxId: bigint): BoxTransport {
    const { here, inFlight: joined } = this.parts;
    const newest = () => {
      const connection = here.get(boxId);
      if (!connection) throw new BoxError('offline', 'the box is no longer connected');
      return connection;
    };
    return {
      boxId,
      request: async (request, callOptions) => {
        const { fingerprint } = callOptions;
        if (fingerprint === undefined) return newest().request(request, callOptions);
        return joined.perform({ ...callOptions, fingerprint }, async (once) => newest().request(request, once));
      },
      call: async (name, input, callOptions) => newest().call(name, input, callOptions),
    };
  }
}
