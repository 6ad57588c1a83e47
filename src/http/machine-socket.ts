import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, lstat, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../infra/observability/logger.js';

/** In `DATA_DIR`. The command line connects to it. */
const NAME = 'admin.sock';

/** Bytes of a path that the operating system accepts. */
const MAX_PATH = process.platform === 'linux' ? 107 : 103;

const OWNER_ONLY = 0o600;

const fromMachine = new WeakSet<IncomingMessage>();

/** Whether the request came over the socket of the machine, so that its caller is the machine. */
export function isFromMachine(request: IncomingMessage): boolean {
  return fromMachine.has(request);
}

/**
 * A Unix socket in the data folder, for the user that the process runs as. `POST /graphql` acts as the machine. Files
 * under `/cdn` are served without credentials, by their signed URLs. Of processes that share the folder, the newest has
 * the socket.
 */
export class MachineSocket {
  readonly #server;
  readonly #path: string;
  readonly #log: Logger;
  #inode: number | null = null;

  constructor(http: Pick<FastifyInstance, 'routing'>, { dataDir, log }: { dataDir: string; log: Logger }) {
    this.#path = join(dataDir, NAME);
    this.#log = log;
    this.#server = createServer((request, response) => serve(http, request, response));
  }

  /** Only logs a failure, because the instance can run without it. */
  async open(): Promise<void> {
    const draft = `${this.#path.slice(0, -'sock'.length)}${randomBytes(3).toString('hex')}`;
    try {
      if (Buffer.byteLength(draft) > MAX_PATH) throw new Error('the path of DATA_DIR is too long');
      this.#server.listen(draft);
      await once(this.#server, 'listening');
      await chmod(draft, OWNER_ONLY);
      this.#inode = (await lstat(draft)).ino;
      // Replaces the socket of a killed or an older process.
      await rename(draft, this.#path);
      this.#server.on('error', (error) => this.#log.warn({ err: error }, `A connection to ${this.#path} failed`));
    } catch (error) {
      this.#inode = null;
      await this.close();
      await rm(draft, { force: true });
      const reason = error instanceof Error ? error.message : error;
      this.#log.warn(`Could not open ${this.#path}, so \`causeway admin\` needs a personal token: ${reason}`);
    }
  }

  /** Resolves when its requests have ended. */
  async close(): Promise<void> {
    const inode = this.#inode;
    this.#inode = null;
    const closed = this.#server.listening ? new Promise((resolve) => this.#server.close(resolve)) : null;
    if (inode !== null && (await inodeOf(this.#path)) === inode) await rm(this.#path, { force: true });
    await closed;
  }

  closeAllConnections(): void {
    this.#server.closeAllConnections();
  }
}

async function inodeOf(path: string): Promise<number | null> {
  try {
    return (await lstat(path)).ino;
  } catch {
    return null;
  }
}

function serve(http: Pick<FastifyInstance, 'routing'>, request: IncomingMessage, response: ServerResponse): void {
  delete request.headers.cookie;
  delete request.headers.authorization;
  const isOperation = request.method === 'POST' && request.url === '/graphql';
  if (isOperation) fromMachine.add(request);
  if (isOperation || (request.method === 'GET' && request.url?.startsWith('/cdn/'))) http.routing(request, response);
  else response.writeHead(404).end();
}
