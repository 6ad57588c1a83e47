import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** Time for a request in transit to arrive, and interval of closing idle connections. */
const QUIET_MS = 100;

/** Shuts a server down without resetting requests that have arrived. */
export class HttpDrain {
  readonly #open = new Set<ServerResponse>();
  #announced = false;

  constructor(private readonly server: Server) {
    // Prepended, because the request handler may respond immediately.
    server.prependListener('request', (_request, response: ServerResponse) => {
      this.#open.add(response);
      response.once('close', () => this.#open.delete(response));
      if (this.#announced) askToClose(response);
    });
  }

  /** Sends `Connection: close` with every response from now on, and keeps listening. */
  announce(): void {
    this.#announced = true;
    for (const response of this.#open) askToClose(response);
  }

  /** Keeps open connections. */
  async stopListening(): Promise<void> {
    await turnOver();
    // The `close` of HTTP servers would drop idle connections, with requests in transit.
    NetServer.prototype.close.call(this.server);
  }

  /** Resolves when no request runs. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await setTimeout(QUIET_MS);
  }

  /** Closes connections as they become idle, until none is left. */
  async endIdleConnections(): Promise<void> {
    while ((await this.#connections()) > 0) {
      await setTimeout(QUIET_MS);
      await turnOver();
      this.server.closeIdleConnections();
    }
  }

  #connections(): Promise<number> {
    return new Promise((resolve) => this.server.getConnections((_error, count) => resolve(count)));
  }
}

function askToClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** Lets Node read pending data first, so that a connection with an unread request is not idle. */
async function turnOver(): Promise<void> {
  await setImmediate();
}
