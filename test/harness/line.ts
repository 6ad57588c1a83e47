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
  /** Carries everything again, also what waited while it was frozen. */
  mend(): void;
  close(): void;
}

/** Lays a line to the server that `address` (a URL with host and port) names. */
export async function layLine(address: string, defaultPort: number): Promise<Line> {
  const target = new URL(address);
  const sockets = new Set<Socket>();
  let state: 'carrying' | 'cut' | 'frozen' = 'carrying';
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port || defaultPort), target.hostname);
    near.pipe(far).pipe(near);
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
    mend() {
      state = 'carrying';
      for (const socket of sockets) socket.resume();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
