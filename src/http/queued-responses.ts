import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Node closes only the current response with its connection. Responses to pipelined requests, such as subscriptions,
 * would never end.
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

/** `_closed` prevents a second close and is visible to later readers, such as pipes. */
function close(response: ServerResponse): void {
  Object.assign(response, { destroyed: true, _closed: true });
  response.emit('close');
}
