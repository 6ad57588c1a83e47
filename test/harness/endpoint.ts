import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { verifyKey } from 'discord-interactions';
import { type Certificate, SELF_SIGNED } from './certificates.js';
import type { Loose } from './graphql.js';

export interface EndpointRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The parsed JSON, or null for other text. */
  interaction: Loose;
  isSigned: boolean;
  /** The number of its connection, from 1. */
  connection: number;
}

/**
 * The behaviors of the endpoint. `good` verifies signatures and answers PING. Each of the others always does one thing
 * wrong.
 */
export type EndpointMode = keyof typeof MODES;

export interface EndpointOptions {
  /** The public key of the application, in hex. Without it every signature is invalid. */
  publicKey?: string;
  /**
   * The response body for an interaction other than PING, sent as JSON. `undefined` answers 202 without a body.
   * Default: a deferred message.
   */
  answer?: (interaction: Loose, request: EndpointRequest) => unknown;
  /** Serves https. Default certificate: `SELF_SIGNED`. */
  tls?: boolean | Certificate;
  port?: number;
}

export interface TestEndpoint {
  url: string;
  port: number;
  /** All requests so far, in order. */
  requests: EndpointRequest[];
  connections(): number;
  trust(publicKey: string): void;
  mode(mode: EndpointMode): void;
  reached(count: number): Promise<void>;
  close(): Promise<void>;
}

interface Exchange {
  request: EndpointRequest;
  onConnection: number;
  response: ServerResponse;
  socket: Socket;
  good(): Promise<void>;
  /** The body of a good response to a signed request. */
  say(): Promise<unknown>;
}

/** Longer than any time limit for an endpoint, in milliseconds. */
const LATE_MS = 4_000;

const MIB = 1024 * 1024;

const PONG = '{"type":1}';

const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n';
const SHORT_ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${PONG.length}\r\n\r\n${PONG}`;

const MODES = {
  good: ({ good }: Exchange) => good(),
  slow: ({ good }: Exchange) => void later(1_000, good),
  late: ({ good }: Exchange) => void later(LATE_MS, good),
  hang: () => {},
  reset: ({ socket }: Exchange) => socket.resetAndDestroy(),
  hangUp: ({ socket }: Exchange) => socket.destroy(),
  cutOff: ({ response, socket }: Exchange) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write(PONG);
    later(20, () => socket.destroy());
  },
  redirect: ({ response }: Exchange) => response.writeHead(307, { location: '/elsewhere' }).end(),
  error: ({ response }: Exchange) => sendJson(response, 500, { message: 'the endpoint failed' }),
  /** Processes the request and then fails. */
  failsAfter: async ({ response, say }: Exchange) => {
    await say();
    sendJson(response, 500, { message: 'the endpoint failed' });
  },
  unauthorized: ({ response }: Exchange) => sendJson(response, 401, { message: 'invalid request signature' }),
  wrongType: async ({ response, say }: Exchange) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(await say())),
  noType: async ({ response, say }: Exchange) => response.writeHead(200).end(JSON.stringify(await say())),
  /** Responds with a form that has a file. */
  form: async ({ response, say }: Exchange) => sendForm(response, JSON.stringify(await say()), 'files[0]'),
  largeForm: async ({ response, say }: Exchange) =>
    sendForm(response, JSON.stringify(await say()), 'files[0]', new Uint8Array(10 * MIB)),
  tooLargeForm: async ({ response, say }: Exchange) =>
    sendForm(response, JSON.stringify(await say()), 'files[0]', new Uint8Array(10 * MIB + 1)),
  wrongForm: async ({ response, say }: Exchange) => sendForm(response, JSON.stringify(await say()), 'picture'),
  /** Responds with a form that has a file and invalid JSON. */
  noJsonForm: ({ response }: Exchange) => sendForm(response, '{"type":', 'files[0]'),
  /** Responds with a truncated form. */
  brokenForm: ({ response }: Exchange) =>
    response
      .writeHead(200, { 'content-type': 'multipart/form-data; boundary=x' })
      .end('--x\r\ncontent-disposition: form-data; name="files[0]"; filename="a.txt"\r\n\r\ntext'),
  deepJson: ({ response }: Exchange) => sendText(response, 200, '['.repeat(1_000_000)),
  /** Announces a later response as frameworks do, with the name of the status or an object. */
  accepted: ({ response }: Exchange) => response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted'),
  acceptedObject: ({ response }: Exchange) => sendJson(response, 202, {}),
  acceptedHuge: ({ response }: Exchange) => sendText(response, 202, `"${'x'.repeat(2 * MIB)}"`),
  acceptedCutOff: ({ response, socket }: Exchange) => {
    response.writeHead(202, { 'content-type': 'text/plain', 'content-length': '100' }).write('Acc');
    later(20, () => socket.destroy());
  },
  latin1: async ({ response, say }: Exchange) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await say()), 'latin1'),
  noJson: ({ response }: Exchange) => sendText(response, 200, '{"type":'),
  wrongJson: ({ response }: Exchange) => sendJson(response, 200, { type: 99 }),
  empty: ({ response }: Exchange) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
  noContent: ({ response }: Exchange) => response.writeHead(204).end(),
  long: ({ response }: Exchange) => sendText(response, 200, `"${'x'.repeat(100 * 1024)}"`),
  /** Sends 2 MiB with a content length. */
  huge: ({ response }: Exchange) => sendText(response, 200, `"${'x'.repeat(2 * MIB)}"`),
  /** Sends an endless body without a content length. */
  endless: ({ response }: Exchange) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
    };
    response.on('drain', more);
    more();
  },
  /** Sends its body in chunks of one byte. */
  fewChunks: ({ socket }: Exchange) => sendChunks(socket, '1\r\n \r\n', 2_000),
  manyChunks: ({ socket }: Exchange) => sendChunks(socket, '1\r\n \r\n', 20_000),
  /** Sends short chunks with long extensions. */
  longChunks: ({ socket }: Exchange) => sendChunks(socket, `1;${'x'.repeat(1_000)}\r\n \r\n`, 1_500),
  /** Sends interim responses before a good one. */
  fewHints: ({ socket }: Exchange) => void socket.write(EARLY_HINTS.repeat(8) + SHORT_ANSWER),
  manyHints: ({ socket }: Exchange) => void socket.write(EARLY_HINTS.repeat(9) + SHORT_ANSWER),
  hugeHeaders: ({ response }: Exchange) => response.writeHead(200, { 'x-filler': 'x'.repeat(64 * 1024) }).end(PONG),
  /** Sends a space every tenth of a second, without end. */
  drip: ({ response }: Exchange) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  },
  garbage: ({ socket }: Exchange) => socket.end('220 mail.example ESMTP\r\n\r\n'),
  /** Sends a compressed response without negotiation. */
  compressed: ({ response }: Exchange) =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end(PONG),
  upgrade: ({ socket }: Exchange) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  /** Processes requests with invalid signatures, too. */
  acceptsBad: async ({ response, say }: Exchange) => sendJson(response, 200, await say()),
  /** Refuses invalid signatures with an unexpected status. */
  forbidsBad: ({ request, response, good }: Exchange) =>
    request.isSigned ? good() : sendJson(response, 403, { message: 'go away' }),
  refusesPing: ({ request, response, good }: Exchange) =>
    request.interaction?.type === 1 ? sendJson(response, 400, { message: 'unknown command' }) : good(),
  /** Responds to the first request of each connection, and resets the connection at the second. */
  closes: ({ onConnection, socket, good }: Exchange) => (onConnection > 1 ? void socket.resetAndDestroy() : good()),
};

function sendChunks(socket: Socket, chunk: string, count: number): void {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  socket.write(`${head}${chunk.repeat(count)}0\r\n\r\n`);
}

/** Starts an interactions endpoint on a port of its own. It behaves well until `mode` is called. */
export async function startEndpoint(options: EndpointOptions = {}): Promise<TestEndpoint> {
  let { publicKey = '' } = options;
  let mode: EndpointMode = 'good';
  const requests: EndpointRequest[] = [];
  const sockets = new Map<Socket, { number: number; requests: number }>();
  const waiting = new Set<() => void>();
  let opened = 0;

  const { tls = false } = options;
  const server = tls ? createTlsServer(tls === true ? SELF_SIGNED : tls) : createServer();
  server.keepAliveTimeout = 0;
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    opened += 1;
    sockets.set(socket, { number: opened, requests: 0 });
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('request', async (incoming: IncomingMessage, response: ServerResponse) => {
    const connection = sockets.get(incoming.socket) ?? { number: 0, requests: 0 };
    connection.requests += 1;
    const request = await readRequest(incoming, publicKey, connection.number);
    requests.push(request);
    for (const wake of waiting) wake();
    const say = async () => (request.interaction?.type === 1 ? { type: 1 } : answerTo(options, request));
    const good = () => answerWell(request, response, say);
    await MODES[mode]({ request, onConnection: connection.requests, response, socket: incoming.socket, good, say });
  });
  await once(server.listen(options.port ?? 0, 'localhost'), 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `${tls ? 'https' : 'http'}://localhost:${port}/interactions`,
    port,
    requests,
    connections: () => opened,
    trust(key) {
      publicKey = key;
    },
    mode(next) {
      mode = next;
    },
    reached: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async close() {
      for (const socket of sockets.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readRequest(incoming: IncomingMessage, key: string, connection: number): Promise<EndpointRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const { method = '', url: path = '', headers } = incoming;
  const signature = String(headers['x-signature-ed25519']);
  const isSigned = await verifyKey(body, signature, String(headers['x-signature-timestamp']), key);
  return { method, path, headers, body, interaction: parse(body), isSigned, connection };
}

async function answerWell(
  { isSigned }: EndpointRequest,
  response: ServerResponse,
  say: () => Promise<unknown>,
): Promise<void> {
  if (!isSigned) return sendJson(response, 401, { message: 'invalid request signature' });
  const body = await say();
  if (body === undefined) response.writeHead(202).end();
  else sendJson(response, 200, body);
}

function answerTo({ answer = () => ({ type: 5 }) }: EndpointOptions, request: EndpointRequest): unknown {
  return answer(request.interaction, request);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length }).end(text);
}

async function sendForm(response: ServerResponse, payload: string, name: string, file = FILE): Promise<void> {
  const form = new FormData();
  form.append('payload_json', payload);
  form.append(name, new Blob([file], { type: 'image/png' }), 'a.png');
  const { headers, ...body } = await encoded(form);
  response.writeHead(200, headers).end(body.bytes);
}

export const FILE = Uint8Array.from({ length: 256 }, (_, index) => index);

async function encoded(form: FormData) {
  const body = new Response(form);
  const headers = { 'content-type': body.headers.get('content-type') ?? '' };
  return { headers, bytes: Buffer.from(await body.arrayBuffer()) };
}

function parse(text: string): Loose {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function later(ms: number, task: () => unknown): void {
  setTimeout(task, ms).unref();
}
