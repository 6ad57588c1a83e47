import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Keeps the connection of a request whose body was refused. Fastify closes it, and a client that is still sending then meets a
 * broken connection before it has read why.
 */
export function keepConnections(http: FastifyInstance): void {
  http.addHook('onSend', (_request, reply, _payload, done) => {
    // What the raw response has was put there on purpose: the server stops.
    const isFastifys = reply.hasHeader('connection') && !reply.raw.hasHeader('connection');
    if (isFastifys && reply.raw.shouldKeepAlive) reply.header('connection', 'keep-alive');
    done();
  });
}

/**
 * Receives what is left of a request that was answered before it was read to its end, and drops it: else its connection would
 * stand still, and with it the next request of its client. The request's own time limit bounds it.
 */
export function dropUnreadBodies(server: Server): void {
  server.on('request', (request, response) => {
    const { socket } = request;
    response.on('finish', () => {
      if (request.complete) return;
      // A body that was given up cannot be read any further.
      if (request.destroyed) socket.destroySoon();
      else request.resume().once('end', () => letGo(server));
    });
  });
}

/** A server that stops looks for idle connections only once, and this one was not idle then. */
function letGo(server: Server): void {
  if (!server.listening) server.closeIdleConnections();
}
