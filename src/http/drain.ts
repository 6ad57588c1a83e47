import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * How long a connection is left open for a request that is on its way, in milliseconds, and how often it is looked for
 * connections that have become idle.
 */
const QUIET_MS = 100;

/** Ends a server so that no request that arrived is reset. */
export class HttpDrain {
  readonly #open = new Set<ServerResponse>();
  #announced = false;

  constructor(private readonly server: Server) {
    // Before the handler of requests, which may answer at once.
    server.prependListener('request', (_request, response: ServerResponse) => {
      this.#open.add(response);
      response.once('close', () => this.#open.delete(response));
      if (this.#announced) askToClose(response);
    });
  }

  /** From now on each answer says that its connection ends with it; the listener goes on. */
  announce(): void {
    this.#announced = true;
    for (const response of this.#open) askToClose(response);
  }

  /** Takes no further connection, and keeps those that are open. */
  async stopListening(): Promise<void> {
    await turnOver();
    // Not the close of HTTP servers, which drops idle connections at once, with the requests that are on their way there.
    NetServer.prototype.close.call(this.server);
  }

  /** Ends connections as they become idle, until none is left. Whoever was asked to close a connection has ended it before. */
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

/** Resumes right after what the system holds was read: a request that arrived is not taken for silence then. */
async function turnOver(): Promise<void> {
  await setImmediate();
}
