import type { AppContext } from '../context.js';
import type { Entrypoint } from '../entrypoint.js';
import { refuseUpgrade } from '../http/upgrades.js';
import { showGatewayLoad } from '../infra/observability/metrics.js';
import type { Bus } from '../infra/processes/bus.js';
import { Connection } from './connection.js';
import { createGateway } from './create-gateway.js';
import { Payload, Piece } from './events.js';
import type { Gateway } from './gateway.js';
import type { LifeMessage } from './lost-sessions.js';
import type { MoveMessage } from './moves/messages.js';
import { closes } from './protocol.js';
import { type ConnectionClass, createAcceptor } from './ws-adapter.js';

export type { ConnectionClass, LifeMessage, MoveMessage };
export { Connection, Payload, Piece };

/** Time of a stop for clients to close their connections. */
const RECONNECT_MS = 2_000;

/** The buses are null in a set-up of one process. */
export function createGatewayEntrypoint(
  app: AppContext,
  bus: Bus<MoveMessage> | null,
  lifeBus: Bus<LifeMessage> | null,
  connectionClass: ConnectionClass = Connection,
): Entrypoint {
  const gateway = createGateway(app, bus, lifeBus);
  showMetrics(gateway);
  const accept = createAcceptor(gateway, connectionClass);
  let draining = false;
  return {
    upgrades: {
      '/gateway': (request, socket, head) => (draining ? refuseUpgrade(socket) : accept(request, socket, head)),
    },
    prepare: async () => {
      await gateway.lostSessions.prepare();
      await gateway.moves.prepare();
    },
    async drain() {
      draining = true;
    },
    async leave(until) {
      try {
        await gateway.moves.leave(until - RECONNECT_MS);
      } finally {
        await gateway.connections.drain();
      }
    },
  };
}

function showMetrics({ app: { metrics }, sessions }: Gateway): void {
  for (const { code } of Object.values(closes)) metrics.gatewayCloses.inc({ code }, 0);
  showGatewayLoad(metrics, () => {
    const load = { waitingSessions: 0, unsentEvents: 0 };
    for (const session of sessions.values()) {
      if (session.connected) load.unsentEvents += session.unsentEvents;
      else load.waitingSessions += 1;
    }
    return load;
  });
}
