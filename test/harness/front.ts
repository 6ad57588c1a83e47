import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The address that several processes share, as a load balancer has it: each new connection is led to one of them. */
export interface Front {
  /** Such as `http://localhost:40123`. */
  origin: string;
  /** From here on new connections go to this process; those that are open stay. */
  leadTo(origin: string): void;
  /** Cuts all connections that are open. */
  cut(): void;
  /** Carries nothing from here on, and keeps connections open and takes new ones, until it is mended. */
  freeze(): void;
  /** Carries everything again, also what waited while it was frozen. */
  mend(): void;
  close(): void;
}

/** Makes such an address. Connections end at once until it leads somewhere. */
export async function openFront(): Promise<Front> {
  const sockets = new Set<Socket>();
  let target: URL | null = null;
  let isFrozen = false;
  const server = createServer((near) => {
    if (!target) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      if (isFrozen) socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
  }).listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    leadTo(origin) {
      target = new URL(origin);
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
