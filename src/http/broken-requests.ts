import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { httpFault } from './faults.js';

/** By error code of Node's HTTP parser; 400 for all others. */
const STATUS_OF: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** If a response is in progress, only closes the connection: further bytes would become part of that response. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, latest?: ServerResponse): void {
  const isAnswering = latest?.headersSent === true && !latest.closed;
  if (!socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF[error.code ?? ''] ?? 400;
  const body = JSON.stringify(httpFault(status));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'X-Content-Type-Options: nosniff',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
