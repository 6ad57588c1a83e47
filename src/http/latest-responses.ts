import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class LatestResponses {
  readonly #responses = new WeakMap<Socket, ServerResponse>();

  watch(server: Server): void {
    server.on('request', (request, response) => this.#responses.set(request.socket, response));
  }

  of(socket: Socket): ServerResponse | undefined {
    return this.#responses.get(socket);
  }
}
