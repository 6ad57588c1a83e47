import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { httpFault } from './faults.js';

/** Statuses of faults that Node's HTTP parser tells, by their code; 400 for all others. */
const STATUS_OF: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers what is no request and closes the connection. Where another answer is being sent it is cut off instead: whatever came
 * in between would be taken for a part of it.
 */
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
