import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { CloseCode, handleProtocols, type Server } from 'graphql-ws';
import { WebSocket, WebSocketServer } from 'ws';
import type { AppContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import type { UpgradeHandler } from '../face.js';
import { isWithinBounds, JSON_BOUNDS, type JsonBounds } from '../infra/bounded-json.js';

/** What the protocol is told of a socket. */
export interface SocketExtra {
  /** The upgrade. */
  request: IncomingMessage;
  /** Of each message; wider once a person has signed in. */
  bounds: JsonBounds;
  close(code: number, reason: string): void;
}

/** Bytes of one message. */
const MAX_MESSAGE = 256 * 1024;
/** How often a socket is asked whether it still lives; one that has not answered by then is cut off. */
const PING_EVERY_MS = 20_000;
/** How long a socket that was asked to close may take, in milliseconds. */
const CLOSE_WAIT_MS = 2_000;

/** The close (RFC 6455's registry, 1013) after which clients of the protocol connect again; they take 4500 for final. */
const TRY_AGAIN_LATER = 1013;

/** The close of RFC 6455, section 7.4.1, for text that is not UTF-8. */
const INVALID_TEXT = 1007;

/** The sockets of one face. */
export interface Sockets {
  take: UpgradeHandler;
  /** Asks all to close; settles when they are gone, or were cut off. */
  drain(): Promise<void>;
}

/** Carries the GraphQL protocol over sockets of `ws`. */
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
  // A frame that breaks the rules, or is too large; ws closes with the code that says so.
  socket.on('error', (error) => app.log.debug({ err: error }, 'a GraphQL socket failed'));
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => send(socket, text),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (receive) =>
        socket.on('message', (message: Buffer) => {
          // ws looks at text frames only.
          if (!isUtf8(message)) return socket.close(INVALID_TEXT, 'Text is UTF-8');
          const text = String(message);
          if (!isWithinBounds(text, extra.bounds)) return socket.close(CloseCode.BadRequest, 'Invalid message');
          receive(text).catch((error: unknown) => {
            const refusal = refusalIn(error)?.kind;
            if (refusal === 'overloaded' || refusal === 'rateLimited') {
              socket.close(TRY_AGAIN_LATER, 'Not available at the moment');
              return;
            }
            app.log.error({ err: error }, 'a message on a GraphQL socket could not be handled');
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

/** Resolves when the socket has taken the text, so that a slow reader slows its streams down. */
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
    timer = app.clock.after(PING_EVERY_MS, ask);
  };
  let timer = app.clock.after(PING_EVERY_MS, ask);
  return { stop: () => timer.cancel() };
}

async function closeAll(app: AppContext, sockets: WebSocketServer): Promise<void> {
  const open = [...sockets.clients];
  const closed = open.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
  for (const socket of open) socket.close(1001, 'Going away');
  const cutOff = app.clock.after(CLOSE_WAIT_MS, () => open.forEach((socket) => void socket.terminate()));
  await Promise.all(closed);
  cutOff.cancel();
}
