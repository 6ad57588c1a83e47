import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Keeps the connection open after refusing a body. Otherwise a client that is still sending fails before it reads the
 * response.
 */
export function keepConnections(http: FastifyInstance): void {
  http.addHook('onSend', (_request, reply, _payload, done) => {
    // A header on the raw response comes from the shutdown.
    const isFastifys = reply.hasHeader('connection') && !reply.raw.hasHeader('connection');
    if (isFastifys && reply.raw.shouldKeepAlive) reply.header('connection', 'keep-alive');
    done();
  });
}

/**
 * Drains unread bodies after early responses, so that the next request on the connection is read. The request timeout
 * limits this.
 */
export function dropUnreadBodies(server: Server): void {
  server.on('request', (request, response) => {
    const { socket } = request;
    response.on('finish', () => {
      if (request.complete) return;
      // A destroyed request cannot be drained.
      if (request.destroyed) socket.destroySoon();
      else request.resume().once('end', () => letGo(server));
    });
  });
}

/** A stopping server checked for idle connections before this one became idle. */
function letGo(server: Server): void {
  if (!server.listening) server.closeIdleConnections();
}
