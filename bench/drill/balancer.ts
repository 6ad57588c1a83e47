import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_EVERY_MS = 250;

export interface Balancer {
  port: number;
  /** Resolves when all processes are ready. */
  allReady(): Promise<void>;
  close(): void;
}

/**
 * Sends each connection to the next process that is ready, as a round-robin proxy does. A process that refuses a
 * connection is skipped.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const ready = new Set<number>();
  let turn = 0;
  const look = setInterval(() => {
    for (const port of ports) void isReady(port).then((is) => (is ? ready.add(port) : ready.delete(port)));
  }, LOOK_EVERY_MS);
  const sockets = new Set<Socket>();
  const serve = (client: Socket, tries: number) => {
    const choice = ports.filter((port) => ready.has(port));
    turn += 1;
    const port = choice[turn % choice.length];
    if (port === undefined || tries === 0) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    upstream.once('connect', () => {
      upstream.removeAllListeners('error');
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    upstream.once('error', () => {
      ready.delete(port);
      serve(client, tries - 1);
    });
  };
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('close', () => sockets.delete(client));
    serve(client, ports.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async allReady() {
      while (ready.size < ports.length) await wait(LOOK_EVERY_MS);
    },
    close() {
      clearInterval(look);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
}
