import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A reverse proxy of several processes. It sends each request and WebSocket to the next process in turn. */
export interface Alternating {
  origin: string;
  leadTo(...origins: string[]): void;
  count(): number;
  close(): void;
}

export async function openAlternating(): Promise<Alternating> {
  let targets: URL[] = [];
  let count = 0;
  const forward = ({ url, method, headers }: IncomingMessage) => {
    const target = targets[count++ % targets.length];
    if (!target) throw new Error('the address leads nowhere yet');
    return request({ host: target.hostname, port: target.port, path: url, method, headers });
  };
  const server = createServer((near, answer) => {
    const far = forward(near);
    far.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    far.on('error', () => answer.destroy());
    near.pipe(far);
  });
  server.on('upgrade', (near: IncomingMessage, socket: Duplex) => {
    const far = forward(near).end();
    far.on('upgrade', ({ rawHeaders }, farSocket) => {
      const lines = rawHeaders.flatMap((text, index) => (index % 2 ? [] : [`${text}: ${rawHeaders[index + 1]}`]));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      farSocket.pipe(socket).pipe(farSocket);
      socket.on('error', () => {}).on('close', () => farSocket.destroy());
      farSocket.on('error', () => {}).on('close', () => socket.destroy());
    });
    far.on('error', () => socket.destroy());
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    leadTo(...origins) {
      targets = origins.map((origin) => new URL(origin));
    },
    count: () => count,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
