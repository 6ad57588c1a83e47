import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { CloseCode, handleProtocols, type Server } from 'graphql-ws';
import { WebSocket, WebSocketServer } from 'ws';
import type { AppContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import type { UpgradeHandler } from '../entrypoint.js';
import { isWithinBounds, JSON_BOUNDS, type JsonBounds } from '../infra/network/bounded-json.js';

export interface SocketExtra {
  request: IncomingMessage;
  /** Wider for signed-in users. */
  bounds: JsonBounds;
  close(code: number, reason: string): void;
}

/** In bytes. */
const MAX_MESSAGE = 256 * 1024;
/** In milliseconds. A socket without a pong in this time is terminated. */
const PING_EVERY_MS = 20_000;
/** In milliseconds. */
const CLOSE_WAIT_MS = 2_000;

/** RFC 6455's registry, 1013. Clients reconnect after it, but not after 4500. */
const TRY_AGAIN_LATER = 1013;

/** RFC 6455, section 7.4.1. */
const INVALID_TEXT = 1007;

export interface Sockets {
  take: UpgradeHandler;
  /** Resolves when all sockets are closed or terminated. */
  drain(): Promise<void>;
}

export function adaptSockets(app: AppContext, protocol: Server<SocketExtra>): Sockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, handleProtocols });
  return {
    take: (request, raw, head) =>
      sockets.handleUpgrade(request, raw, head, (socket) => open(app, protocol, socket, request)),
    drain: () => closeAll(app, sockets),
  };
}

function open(app: AppContext, protocol: Server<SocketExtra>, socket: WebSocket, request: IncomingMessage): void {
  const extra: SocketExtra = {
    request,
    bounds: JSON_BOUNDS,
    close: (code, reason) => socket.close(code, reason),
  };
  // ws itself closes the socket.
  socket.on('error', (error) => app.log.debug({ err: error }, 'GraphQL socket failed'));
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => send(socket, text),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (receive) =>
        socket.on('message', (message: Buffer) => {
          // ws validates UTF-8 in text frames only.
          if (!isUtf8(message)) return socket.close(INVALID_TEXT, 'Text must be UTF-8');
          const text = String(message);
          if (!isWithinBounds(text, extra.bounds)) return socket.close(CloseCode.BadRequest, 'Invalid message');
          receive(text).catch((error: unknown) => {
            const refusal = refusalIn(error)?.kind;
            if (refusal === 'overloaded' || refusal === 'rateLimited') {
              socket.close(TRY_AGAIN_LATER, 'Temporarily unavailable');
              return;
            }
            app.log.error({ err: error }, 'Could not handle a message on a GraphQL socket; the socket was closed');
            socket.close(CloseCode.InternalServerError, 'Internal server error');
          });
        }),
    },
    extra,
  );
  const pings = pingRegularly(app, socket);
  socket.once('close', (code, reason) => {
    pings.stop();
    void closed(code, String(reason));
  });
}

/** Resolves when the text is sent, so that a slow reader slows down its streams. */
function send(socket: WebSocket, text: string): Promise<void> {
  if (socket.readyState !== WebSocket.OPEN) return Promise.resolve();
  return new Promise((resolve) => socket.send(text, () => resolve()));
}

function pingRegularly(app: AppContext, socket: WebSocket): { stop(): void } {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const ask = () => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
    timer = app.connectionClock.after(PING_EVERY_MS, ask);
  };
  let timer = app.connectionClock.after(PING_EVERY_MS, ask);
  return { stop: () => timer.cancel() };
}

async function closeAll(app: AppContext, sockets: WebSocketServer): Promise<void> {
  const open = [...sockets.clients];
  const closed = open.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
  for (const socket of open) socket.close(1001, 'Going away');
  const cutOff = app.connectionClock.after(CLOSE_WAIT_MS, () => open.forEach((socket) => void socket.terminate()));
  await Promise.all(closed);
  cutOff.cancel();
}
