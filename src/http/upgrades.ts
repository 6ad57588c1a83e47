import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Face } from '../face.js';
import type { LatestResponses } from './latest-responses.js';

/**
 * Hands each WebSocket upgrade to the face that owns its path, and answers 404 where none does. Any other protocol is not
 * spoken here: such a request is served as if it had not offered to change (RFC 9110, section 7.8).
 */
export function routeUpgrades(server: Server, faces: Face[], responses: LatestResponses): void {
  const handlers = new Map(faces.flatMap((face) => Object.entries(face.upgrades ?? {})));
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!asksForWebSocket(request)) {
      afterResponse(responses.of(socket), () => serveWithoutUpgrade(server, request, socket, head));
      return;
    }
    socket.on('error', () => socket.destroy());
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

/** Whether WebSocket is among the protocols the client offers. HTTP/1.0 has no upgrades. */
function asksForWebSocket({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && tokensOf(headers.upgrade).includes(WEBSOCKET);
}

function tokensOf(list = ''): string[] {
  return list.split(',').map((token) => token.trim().toLowerCase());
}

/** Answers to requests that came before on the same connection go first. */
function afterResponse(earlier: ServerResponse | undefined, serve: () => void): void {
  if (!earlier || earlier.closed) serve();
  else earlier.once('close', serve);
}

/**
 * An upgrade has left the HTTP parser, and its body is still unread: the request is put before what follows it on the
 * connection, without the offer, and the connection is given back to the server.
 */
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

/** A `Connection` header that does not announce an `Upgrade`; any other as it is. */
function withoutUpgrade(name: string, value: string): string {
  if (name.toLowerCase() !== 'connection') return value;
  return tokensOf(value)
    .filter((token) => token !== 'upgrade')
    .join(', ');
}

/** Answers an upgrade to a face that is letting go of its connections. */
export function refuseUpgrade(socket: Duplex): void {
  socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
