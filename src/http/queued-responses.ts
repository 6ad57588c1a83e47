import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Has every response closed with its connection. Node closes the one that is being sent; those of requests that a client sent behind it,
 * without waiting, would never end, nor what serves them: a subscription would go on for nobody.
 */
export function closeQueuedResponses(server: Server): void {
  const responses = new WeakMap<Socket, Set<ServerResponse>>();
  const responsesOn = (socket: Socket) => {
    const known = responses.get(socket);
    if (known) return known;
    const open = new Set<ServerResponse>();
    responses.set(socket, open);
    socket.once('close', () => [...open].forEach(close));
    return open;
  };
  server.prependListener('request', ({ socket }, response: ServerResponse) => {
    const open = responsesOn(socket);
    open.add(response);
    response.once('close', () => open.delete(response));
  });
}

/** As Node does with the one that is being sent. By `_closed` it closes none twice, and tells who asks later, as pipes do. */
function close(response: ServerResponse): void {
  Object.assign(response, { destroyed: true, _closed: true });
  response.emit('close');
}
