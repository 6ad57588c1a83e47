import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { encodingFor, plain } from './compression.js';
import type { Connection } from './connection.js';
import type { Gateway } from './gateway.js';
import {
  type Close,
  closes,
  MAX_PAYLOAD_BYTES,
  SAME_MACHINE_DELAY_MS,
  SOCKET_HIGH_WATER,
  versionFor,
} from './protocol.js';
import type { Outlet } from './transmitter.js';

/** How long a client may take to answer a close. */
const CLOSE_TIMEOUT_MS = 5_000;

const TOO_LARGE = 1009;

class GatewaySocket extends WebSocket {
  connection: Connection | null = null;

  /** Closes with 4002, not 1009, after an oversized message. */
  override close(code?: number, reason?: string | Buffer): void {
    if (code === TOO_LARGE) super.close(closes.undecodable.code, closes.undecodable.reason);
    else super.close(code, reason);
  }
}

/** Makes the connections: the class itself, or one that extends it. */
export type ConnectionClass = typeof Connection;

export function createAcceptor(gateway: Gateway, connectionClass: ConnectionClass) {
  // A separate variable, because the library's types lack `closeTimeout`.
  const options = {
    noServer: true,
    WebSocket: GatewaySocket,
    maxPayload: MAX_PAYLOAD_BYTES,
    perMessageDeflate: false,
    // The decoder closes with 4002 for invalid UTF-8. The library would close with 1007.
    skipUTF8Validation: true,
    clientTracking: false,
    autoPong: false,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const server = new WebSocketServer(options);
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const { refusal, ...terms } = negotiate(request);
      const connection = new connectionClass(gateway, new SocketOutlet(socket, webSocket), terms);
      serve(connection, refusal, socket, webSocket);
    });
  };
}

function serve(connection: Connection, refusal: Close | null, socket: Duplex, webSocket: GatewaySocket): void {
  webSocket.connection = connection;
  for (const [event, listener] of Object.entries(listeners)) webSocket.on(event, listener);
  socket.on('drain', () => connection.drained());
  if (refusal) connection.close(refusal);
  // Some clients lose a HELLO that arrives together with the upgrade response.
  else setTimeout(() => connection.greet(), SAME_MACHINE_DELAY_MS);
}

/** Shared by all sockets, because listeners of their own would take memory. */
const listeners = {
  message(this: WebSocket, data: WebSocket.RawData): void {
    connectionOf(this)?.receive(bufferOf(data));
  },
  ping(this: WebSocket, data: Buffer): void {
    if (this.bufferedAmount < SOCKET_HIGH_WATER) this.pong(data);
  },
  close(this: WebSocket, code: number): void {
    connectionOf(this)?.closed(code);
  },
  error(this: WebSocket, error: Error): void {
    connectionOf(this)?.gateway.app.log.debug({ err: error }, 'Gateway socket violated the WebSocket protocol');
  },
};

function connectionOf(webSocket: WebSocket): Connection | null {
  return webSocket instanceof GatewaySocket ? webSocket.connection : null;
}

/**
 * Writes frames directly to the socket, because connections share them. Without permessage-deflate, the library also
 * writes pongs and closes at once, so the order is kept.
 *
 * A class, because each object literal with a getter has its own hidden class, which made a fan-out a quarter slower.
 */
class SocketOutlet implements Outlet {
  constructor(
    private readonly socket: Duplex,
    private readonly webSocket: WebSocket,
  ) {}

  write(frame: Buffer): void {
    if (this.webSocket.readyState === WebSocket.OPEN) this.socket.write(frame);
  }

  close(code: number, reason: string): void {
    this.webSocket.close(code, reason);
  }

  destroy(): void {
    this.webSocket.terminate();
  }

  get pending(): number {
    return this.socket.writableLength;
  }
}

/** See docs/gateway.md, G-1 to G-3. */
function negotiate(request: IncomingMessage) {
  const [, search = ''] = (request.url ?? '').split('?', 2);
  const query = new URLSearchParams(search);
  const encoding = encodingFor(query.get('compress'));
  const version = versionFor(query.get('v'));
  let refusal: Close | null = null;
  if (version === null) refusal = closes.invalidVersion;
  else if ((query.get('encoding') ?? 'json') !== 'json') refusal = closes.encoding;
  else if (!encoding) refusal = closes.compression;
  return { version: version ?? 10, encoding: encoding ?? plain, refusal };
}

function bufferOf(data: WebSocket.RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
