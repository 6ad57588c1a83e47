import type { Duplex } from 'node:stream';
import type { AppContext } from '../context.js';
import type { Face } from '../face.js';
import { createGateway } from './gateway.js';
import { createAcceptor } from './ws-adapter.js';

/** The bot gateway, as docs/gateway.md states it. */
export function createGatewayFace(app: AppContext): Face {
  const gateway = createGateway(app);
  const accept = createAcceptor(gateway);
  let draining = false;
  return {
    upgrades: {
      '/gateway': (request, socket, head) => (draining ? refuse(socket) : accept(request, socket, head)),
    },
    async drain() {
      draining = true;
      await gateway.connections.drain();
      for (const session of [...gateway.sessions.values()]) session.end();
    },
  };
}

function refuse(socket: Duplex): void {
  socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
