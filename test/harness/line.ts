import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy of a server that a test can cut or freeze. Only clients with its URL are affected. */
export interface Line {
  /** The server's URL, through the proxy. */
  url: string;
  /** Ends all connections, and refuses new ones until `mend`. */
  cut(): void;
  /**
   * Keeps connections open, accepts new ones and forwards nothing until `mend`, like a stopped host or a network
   * partition.
   */
  freeze(): void;
  /**
   * Forwards statements and withholds all answers until `mend`, from the first statement on that contains `text`.
   * @returns settles when the server got that statement
   */
  withholdAnswers(text: string): Promise<void>;
  /** Forwards everything again, including delayed data. */
  mend(): void;
  close(): void;
}

/** @param ownPort port of the proxy; by default, a free one */
export async function layLine(address: string, defaultPort: number, ownPort = 0): Promise<Line> {
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
    // This handler runs before the data is forwarded, so that no answer is faster.
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
  }).listen(ownPort, '127.0.0.1');
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
