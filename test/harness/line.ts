import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that a test can cut or freeze, for those who take it and nobody else. */
export interface Line {
  /** The server's address, led over the line. */
  url: string;
  /** Ends all connections, and lets none through until it is mended. */
  cut(): void;
  /** Keeps all connections open, takes new ones, and carries nothing until it is mended: a stopped host, a partition. */
  freeze(): void;
  /**
   * Carries statements and withholds all answers, from the first statement on that contains `text`, until it is mended.
   * @returns settles when that statement was handed to the server
   */
  withholdAnswers(text: string): Promise<void>;
  /** Carries everything again, also what waited while it was frozen. */
  mend(): void;
  close(): void;
}

/** Lays a line to the server that `address` (a URL with host and port) names. */
export async function layLine(address: string, defaultPort: number): Promise<Line> {
  const target = new URL(address);
  const sockets = new Set<Socket>();
  const servers = new Set<Socket>();
  let state: 'carrying' | 'cut' | 'frozen' | 'withholding' = 'carrying';
  let awaited: { text: string; found: () => void } | null = null;
  const withholdFrom = (statement: Buffer) => {
    if (!awaited || !statement.includes(awaited.text)) return;
    state = 'withholding';
    for (const server of servers) server.pause();
    awaited.found();
    awaited = null;
  };
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port || defaultPort), target.hostname);
    // Before it is handed on, so that no answer is faster.
    near.on('data', withholdFrom);
    near.pipe(far).pipe(near);
    servers.add(far);
    far.on('close', () => servers.delete(far));
    if (state === 'withholding') far.pause();
    for (const socket of [near, far]) {
      sockets.add(socket);
      if (state === 'frozen') socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(address);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.toString(),
    cut() {
      state = 'cut';
      for (const socket of sockets) socket.destroy();
    },
    freeze() {
      state = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    withholdAnswers(text) {
      return new Promise((found) => {
        awaited = { text, found };
      });
    },
    mend() {
      state = 'carrying';
      awaited = null;
      for (const socket of sockets) socket.resume();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
