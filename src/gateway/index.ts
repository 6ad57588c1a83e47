import type { AppContext } from '../context.js';
import type { Entrypoint } from '../entrypoint.js';
import { refuseUpgrade } from '../http/upgrades.js';
import { createGateway } from './gateway.js';
import { createAcceptor } from './ws-adapter.js';

export function createGatewayEntrypoint(app: AppContext): Entrypoint {
  const gateway = createGateway(app);
  const accept = createAcceptor(gateway);
  let draining = false;
  return {
    upgrades: {
      '/gateway': (request, socket, head) => (draining ? refuseUpgrade(socket) : accept(request, socket, head)),
    },
    async drain() {
      draining = true;
      await gateway.connections.drain();
      for (const session of [...gateway.sessions.values()]) session.end();
    },
  };
}
