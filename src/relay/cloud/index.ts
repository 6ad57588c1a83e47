import type { IncomingMessage } from 'node:http';
import type { AppContext } from '../../context.js';
import type { BoxClient } from '../../domain/boxes/index.js';
import type { Entrypoint } from '../../entrypoint.js';
import { refuseUpgrade } from '../../http/upgrades.js';
import type { Release } from '../../infra/concurrency/semaphore.js';
import { isDoneWithin } from '../../infra/concurrency/timeouts.js';
import type { Bus } from '../../infra/processes/bus.js';
import { closes } from '../protocol/closes.js';
import { createRelayAcceptor } from '../ws-adapter.js';
import type { CloudBotDirectory } from './cloud-bot-directory.js';
import { BoxesHere } from './connections/boxes-here.js';
import { HandshakeLimiter } from './connections/handshake-limiter.js';
import { endConnectionsOf } from './connections/process-end.js';
import { Reception } from './connections/reception.js';
import { ResponseQuota } from './connections/response-quota.js';
import { CrossProcessClient } from './cross-process/client.js';
import type { CrossProcessMessage } from './cross-process/messages.js';
import { CrossProcessServer } from './cross-process/server.js';
import { RelayBoxClient } from './forwarding/box-client.js';
import { CloudBoxTransports } from './forwarding/cloud-transports.js';
import { InFlightWrites } from './forwarding/in-flight-writes.js';
import { BoxError, type BoxInterceptor, type BoxTransports } from './forwarding/transport.js';

export { CloudBotDirectory } from './cloud-bot-directory.js';
export type { CrossProcessMessage } from './cross-process/messages.js';
export { createDirectory } from './forwarding/directory.js';
export { RemoteGuildStore } from './guild-store.js';
export { BoxError, type BoxInterceptor };

/** Time for open requests at shutdown, slightly less than its time limit. */
const LEAVING_MS = 6_000;

/** Random, so that not all boxes reconnect at once. */
const RETRY_MS = { least: 500, most: 5_000 };

export interface Relay {
  entrypoint: Entrypoint;
  transports: BoxTransports;
  boxClient: BoxClient;
  /** Call this after the process has ended. */
  endProcess(processId: string): Promise<void>;
  /** Call this if other processes considered this one dead. */
  restate(): void;
}

/** @param bus null if there is only one process */
export function createRelay(
  app: AppContext,
  bots: CloudBotDirectory,
  bus: Bus<CrossProcessMessage> | null,
  intercept: BoxInterceptor = (_boxId, _request, _callOptions, send) => send(),
): Relay {
  const here = new BoxesHere(app);
  const quota = new ResponseQuota();
  const crossProcess = bus && new CrossProcessClient(bus, app.connectionClock, quota);
  const transports = new CloudBoxTransports({
    app,
    here,
    crossProcess,
    inFlight: new InFlightWrites(app.connectionClock),
    intercept,
  });
  const crossProcessServer =
    bus &&
    new CrossProcessServer({
      bus,
      clock: app.connectionClock,
      log: app.log,
      transportTo: (boxId) => transports.here(boxId),
    });
  const untilReachable = async () => crossProcessServer?.listen(app.live.id);
  const reception = new Reception({ app, here, bots, quota, untilReachable });
  return {
    entrypoint: createRelayEntrypoint(app, reception, here),
    transports,
    boxClient: new RelayBoxClient(transports, app),
    endProcess: (processId) => endConnectionsOf(app, processId),
    restate: () => here.restate(),
  };
}

function createRelayEntrypoint(app: AppContext, reception: Reception, here: BoxesHere): Entrypoint {
  const handshakes = new HandshakeLimiter(app.config.rateLimits);
  const counted = new WeakMap<IncomingMessage, Release>();
  const accept = createRelayAcceptor((outlet, request) => reception.serve(outlet, counted.get(request) ?? (() => {})));
  let isDraining = false;
  return {
    upgrades: {
      '/relay': (request, socket, head) => {
        if (isDraining) return refuseUpgrade(socket);
        const release = handshakes.take(app.clientAddress(request), socket);
        counted.set(request, release);
        socket.once('close', release);
        accept(request, socket, head);
      },
    },
    async drain() {
      isDraining = true;
      reception.close();
      here.leave();
      const leaving = here.all().map((connection) => connection.leave(retryAfterMs()));
      await isDoneWithin(LEAVING_MS, Promise.all(leaving));
      const ended = here.all().map((connection) => connection.finish(closes.goingAway));
      await isDoneWithin(PARTING_MS, Promise.all(ended));
    },
  };
}

/** Time for boxes to answer a close. */
const PARTING_MS = 500;

function retryAfterMs(): number {
  return Math.round(RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least));
}
