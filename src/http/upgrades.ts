import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Entrypoint } from '../entrypoint.js';
import type { LatestResponses } from './latest-responses.js';

/**
 * Routes WebSocket upgrades by path, or responds 404. Other upgrades are ignored and the request is served (RFC 9110,
 * section 7.8).
 */
export function routeUpgrades(server: Server, entrypoints: Entrypoint[], responses: LatestResponses): void {
  const handlers = new Map(entrypoints.flatMap((entrypoint) => Object.entries(entrypoint.upgrades ?? {})));
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!asksForWebSocket(request)) {
      afterResponse(responses.of(socket), () => serveWithoutUpgrade(server, request, socket, head));
      return;
    }
    socket.on('error', ignoreError);
    const path = (request.url ?? '/').split('?', 1)[0]?.replace(/\/+$/, '') ?? '';
    const handler = handlers.get(path);
    if (!handler) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    request.headers.upgrade = WEBSOCKET;
    handler(request, socket, head);
  });
}

const WEBSOCKET = 'websocket';

/** Node.js has then destroyed the socket, and would end the process without a listener. */
function ignoreError(): void {}

/** HTTP/1.0 has no upgrades. */
function asksForWebSocket({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && tokensOf(headers.upgrade).includes(WEBSOCKET);
}

function tokensOf(list = ''): string[] {
  return list.split(',').map((token) => token.trim().toLowerCase());
}

/** Responses to earlier requests on the connection come first. */
function afterResponse(earlier: ServerResponse | undefined, serve: () => void): void {
  if (!earlier || earlier.closed) serve();
  else earlier.once('close', serve);
}

/** Node's parser has detached from the socket, so the head is put back and the server parses it again. */
function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  if (socket.destroyed) return;
  socket.setTimeout(0);
  socket.unshift(Buffer.concat([Buffer.from(headWithoutUpgrade(request), 'latin1'), head]));
  server.emit('connection', socket);
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${withoutUpgrade(name, value)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function withoutUpgrade(name: string, value: string): string {
  if (name.toLowerCase() !== 'connection') return value;
  return tokensOf(value)
    .filter((token) => token !== 'upgrade')
    .join(', ');
}

/** For an entry point that is shutting down. */
export function refuseUpgrade(socket: Duplex): void {
  socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
