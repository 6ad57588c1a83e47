import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A load balancer of several processes. It forwards each new connection to one of them. */
export interface Front {
  /** Such as `http://localhost:40123`. */
  origin: string;
  /** Forwards new connections to this process. Open ones stay. */
  leadTo(origin: string): void;
  cut(): void;
  /** Forwards no data until `mend`, keeps connections open and accepts new ones. */
  freeze(): void;
  mend(): void;
  close(): void;
}

/** Starts a load balancer. It closes new connections until it has a target. */
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
