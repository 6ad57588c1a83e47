import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { UpgradeHandler } from '../entrypoint.js';
import { yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import { type Close, closes } from './protocol/closes.js';
import { BODIES_WAIT_BYTES, type Outlet, type Receiver } from './protocol/link.js';
import { MAX_TEXT_BYTES } from './protocol/messages.js';

const CLOSE_TIMEOUT_MS = 5_000;

const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Codes of `ws` for a protocol violation, invalid UTF-8, and a message beyond `maxPayload`. */
const UNUSABLE: readonly (number | undefined)[] = [1002, 1007, 1009];

/** Prefix of the `ws` error codes for these faults. */
const UNUSABLE_ERROR = 'WS_ERR_';

const OPTIONS = {
  maxPayload: MAX_TEXT_BYTES,
  perMessageDeflate: false,
  // Decoding closes with 4002 for invalid UTF-8. `ws` would close with 1007.
  skipUTF8Validation: true,
  autoPong: false,
  closeTimeout: CLOSE_TIMEOUT_MS,
};

/** Closes with 4002 on unusable data (docs/relay.md, R-2). */
class RelaySocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    if (UNUSABLE.includes(code)) super.close(closes.unusable.code, closes.unusable.reason);
    else super.close(code, reason);
  }
}

export function createRelayAcceptor(serve: (outlet: Outlet, request: IncomingMessage) => Receiver): UpgradeHandler {
  const server = new WebSocketServer({ ...OPTIONS, noServer: true, WebSocket: RelaySocket, clientTracking: false });
  return (request, socket, head) => {
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const receiver = serve(new SocketOutlet(socket, webSocket), request);
      webSocket.on('error', ignoreError);
      connect(receiver, socket, webSocket);
    });
  };
}

/**
 * Follows no redirects and trusts only the system's certificates.
 * @param url with the scheme `ws`, `wss`, `http` or `https`
 * @param serve called once the connection is open
 * @param onFailed called once if no connection is made
 * @returns a function that aborts the attempt, which then fails
 * @throws SyntaxError for an invalid URL
 */
export function dialRelay(
  url: string,
  serve: (outlet: Outlet) => Receiver,
  onFailed: (error: Error) => void,
): () => void {
  const webSocket = new RelaySocket(url, {
    ...OPTIONS,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    followRedirects: false,
  });
  webSocket.on('error', ignoreError);
  webSocket.once('error', onFailed);
  webSocket.once('upgrade', ({ socket }) => {
    webSocket.once('open', () => {
      webSocket.off('error', onFailed);
      connect(serve(new SocketOutlet(socket, webSocket)), socket, webSocket);
    });
  });
  return () => {
    if (webSocket.readyState === WebSocket.CONNECTING) webSocket.terminate();
  };
}

/** A close event follows. */
function ignoreError(): void {}

const TEXT_PER_TURN = { messages: 200, bytes: 64 * 1024 };

/**
 * Pauses a connection that sends much text, so that others get a turn. Text is parsed, which costs several times as
 * much as a binary frame.
 */
class TextAllowance {
  #messages = 0;
  #bytes = 0;

  constructor(private readonly webSocket: WebSocket) {}

  use(bytes: number): void {
    if (this.#messages === 0) setImmediate(() => this.#renew());
    this.#messages += 1;
    this.#bytes += bytes;
    const isUsedUp = this.#messages > TEXT_PER_TURN.messages || this.#bytes > TEXT_PER_TURN.bytes;
    if (isUsedUp && !this.webSocket.isPaused) this.#wait();
  }

  #renew(): void {
    this.#messages = 0;
    this.#bytes = 0;
  }

  #wait(): void {
    this.webSocket.pause();
    void yieldToEventLoop().then(() => this.webSocket.resume());
  }
}

function connect(receiver: Receiver, socket: Duplex, webSocket: WebSocket): void {
  const allowance = new TextAllowance(webSocket);
  webSocket.on('message', (data, isBinary) => {
    const message = bufferOf(data);
    if (isBinary) return receiver.bytes(message);
    allowance.use(message.length);
    receiver.text(message);
  });
  webSocket.on('ping', (data) => {
    if (socket.writableLength < BODIES_WAIT_BYTES) webSocket.pong(data);
  });
  webSocket.on('error', (error) => {
    if (!('code' in error && String(error.code).startsWith(UNUSABLE_ERROR))) return;
    receiver.unusable(error.message);
    // The other end may continue to send the rest of the message.
    receiver.closed(closes.unusable.code, error.message);
  });
  webSocket.on('close', (code, reason) => receiver.closed(code, reason.toString()));
  // Parts of a message count too.
  socket.on('data', (bytes: Buffer) => receiver.heard(bytes.length));
  socket.on('drain', () => receiver.drained());
}

class SocketOutlet implements Outlet {
  constructor(
    private readonly socket: Duplex,
    private readonly webSocket: WebSocket,
  ) {}

  text(message: string): void {
    if (this.webSocket.readyState === WebSocket.OPEN) this.webSocket.send(message);
  }

  bytes(message: Buffer): void {
    if (this.webSocket.readyState === WebSocket.OPEN) this.webSocket.send(message);
  }

  close({ code, reason }: Close): void {
    this.webSocket.close(code, reason);
  }

  cut(): void {
    this.webSocket.terminate();
  }

  get pending(): number {
    return this.socket.writableLength;
  }
}

function bufferOf(data: WebSocket.RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
