import type { AppContext } from '../../../context.js';
import { boxHolder } from '../../../domain/boxes/index.js';
import type { BoxesHere } from '../connections/boxes-here.js';
import type { CrossProcessClient } from '../cross-process/client.js';
import type { InFlightWrites } from './in-flight-writes.js';
import {
  BoxError,
  type BoxInterceptor,
  type BoxTransport,
  type BoxTransports,
  type CallOptions,
  type ForwardedRequest,
} from './transport.js';

export interface CloudBoxTransportsParts {
  app: AppContext;
  here: BoxesHere;
  inFlight: InFlightWrites;
  /** Null if there is only one process. */
  crossProcess: CrossProcessClient | null;
  intercept: BoxInterceptor;
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
    const { here, inFlight: joined, intercept } = this.parts;
    const newest = () => {
      const connection = here.get(boxId);
      if (!connection) throw new BoxError('offline', 'the box is no longer connected');
      return connection;
    };
    const send = (request: ForwardedRequest, callOptions: CallOptions) =>
      intercept(boxId, request, callOptions, async () => newest().request(request, callOptions));
    return {
      boxId,
      request: async (request, callOptions) => {
        const { fingerprint } = callOptions;
        if (fingerprint === undefined) return send(request, callOptions);
        return joined.perform({ ...callOptions, fingerprint }, (once) => send(request, once));
      },
      call: async (name, input, callOptions) => newest().call(name, input, callOptions),
    };
  }
}
