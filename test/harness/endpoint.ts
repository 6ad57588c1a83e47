import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { verifyKey } from 'discord-interactions';
import { type Certificate, SELF_SIGNED } from './certificates.js';
import type { Loose } from './graphql.js';

/** One request as it reached the endpoint. */
export interface EndpointRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw text. */
  body: string;
  /** What the text says as JSON; null where it is none. */
  interaction: Loose;
  /** Whether the signature is the application's. */
  isSigned: boolean;
  /** Which of the endpoint's connections it came on, counted from 1. */
  connection: number;
}

/** Every way the endpoint can be. `good` checks signatures and answers PING; all others do one thing wrong, always. */
export type EndpointMode = keyof typeof MODES;

export interface EndpointOptions {
  /** The application's, in hex. Without one every signature is bad. */
  publicKey?: string;
  /**
   * The body of the answer to an interaction that is no PING, sent as JSON; `undefined` answers 202 without a body. It defers a message
   * unless stated.
   */
  answer?: (interaction: Loose, request: EndpointRequest) => unknown;
  /** Serves https, with `SELF_SIGNED` unless a certificate is given. */
  tls?: boolean | Certificate;
  port?: number;
}

export interface TestEndpoint {
  /** Its address, at `localhost`. */
  url: string;
  port: number;
  /** All that reached it so far, in order. */
  requests: EndpointRequest[];
  /** How many connections were opened so far. */
  connections(): number;
  /** Says by whom requests are signed from now on, for an application that was made after the endpoint. */
  trust(publicKey: string): void;
  /** Turns it bad, or good again. */
  mode(mode: EndpointMode): void;
  /** Resolves when so many requests have reached it. */
  reached(count: number): Promise<void>;
  close(): Promise<void>;
}

interface Exchange {
  request: EndpointRequest;
  /** How many requests its connection has carried, this one included. */
  onConnection: number;
  response: ServerResponse;
  socket: Socket;
  /** Does what a good endpoint does. */
  good(): Promise<void>;
  /** What a good endpoint says to a request with a good signature. */
  say(): Promise<unknown>;
}

/** Later than anybody waits for an endpoint, in milliseconds. */
const LATE_MS = 4_000;

const MIB = 1024 * 1024;

const PONG = '{"type":1}';

const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n';
const SHORT_ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${PONG.length}\r\n\r\n${PONG}`;

const MODES = {
  good: ({ good }: Exchange) => good(),
  /** Answers well after a second. */
  slow: ({ good }: Exchange) => void later(1_000, good),
  /** Answers well when it is too late. */
  late: ({ good }: Exchange) => void later(LATE_MS, good),
  hang: () => {},
  reset: ({ socket }: Exchange) => socket.resetAndDestroy(),
  /** Ends the connection without an answer. */
  hangUp: ({ socket }: Exchange) => socket.destroy(),
  /** Ends the connection in the middle of the body. */
  cutOff: ({ response, socket }: Exchange) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write(PONG);
    later(20, () => socket.destroy());
  },
  redirect: ({ response }: Exchange) => response.writeHead(307, { location: '/elsewhere' }).end(),
  error: ({ response }: Exchange) => sendJson(response, 500, { message: 'the endpoint failed' }),
  /** Does what it is asked, and then fails. */
  failsAfter: async ({ response, say }: Exchange) => {
    await say();
    sendJson(response, 500, { message: 'the endpoint failed' });
  },
  unauthorized: ({ response }: Exchange) => sendJson(response, 401, { message: 'invalid request signature' }),
  wrongType: async ({ response, say }: Exchange) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(await say())),
  noType: async ({ response, say }: Exchange) => response.writeHead(200).end(JSON.stringify(await say())),
  /** Does what it is asked, in a form with a file. */
  form: async ({ response, say }: Exchange) => sendForm(response, JSON.stringify(await say()), 'files[0]'),
  /** The same, with the largest file there may be. */
  largeForm: async ({ response, say }: Exchange) =>
    sendForm(response, JSON.stringify(await say()), 'files[0]', new Uint8Array(10 * MIB)),
  /** The same, with a file that is one byte larger. */
  tooLargeForm: async ({ response, say }: Exchange) =>
    sendForm(response, JSON.stringify(await say()), 'files[0]', new Uint8Array(10 * MIB + 1)),
  /** As a form whose parts are called otherwise. */
  wrongForm: async ({ response, say }: Exchange) => sendForm(response, JSON.stringify(await say()), 'picture'),
  /** As a form with a file, and no JSON beside it. */
  noJsonForm: ({ response }: Exchange) => sendForm(response, '{"type":', 'files[0]'),
  /** As a form that breaks off. */
  brokenForm: ({ response }: Exchange) =>
    response
      .writeHead(200, { 'content-type': 'multipart/form-data; boundary=x' })
      .end('--x\r\ncontent-disposition: form-data; name="files[0]"; filename="a.txt"\r\n\r\ntext'),
  /** Sends a megabyte of brackets. */
  deepJson: ({ response }: Exchange) => sendText(response, 200, '['.repeat(1_000_000)),
  /** Says that the answer follows, as frameworks do: with the name of the status, or an object. */
  accepted: ({ response }: Exchange) => response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted'),
  acceptedObject: ({ response }: Exchange) => sendJson(response, 202, {}),
  /** The same, with a body that nobody would read. */
  acceptedHuge: ({ response }: Exchange) => sendText(response, 202, `"${'x'.repeat(2 * MIB)}"`),
  acceptedCutOff: ({ response, socket }: Exchange) => {
    response.writeHead(202, { 'content-type': 'text/plain', 'content-length': '100' }).write('Acc');
    later(20, () => socket.destroy());
  },
  /** Sends what it says in Latin-1. */
  latin1: async ({ response, say }: Exchange) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await say()), 'latin1'),
  noJson: ({ response }: Exchange) => sendText(response, 200, '{"type":'),
  wrongJson: ({ response }: Exchange) => sendJson(response, 200, { type: 99 }),
  empty: ({ response }: Exchange) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
  noContent: ({ response }: Exchange) => response.writeHead(204).end(),
  /** Sends a text that may be read, and is no JSON object. */
  long: ({ response }: Exchange) => sendText(response, 200, `"${'x'.repeat(100 * 1024)}"`),
  /** Sends 2 MiB and says so before. */
  huge: ({ response }: Exchange) => sendText(response, 200, `"${'x'.repeat(2 * MIB)}"`),
  /** Sends without end, and does not say how much. */
  endless: ({ response }: Exchange) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
    };
    response.on('drain', more);
    more();
  },
  /** Sends its body in chunks of one byte, as few as an endpoint with little to say. */
  fewChunks: ({ socket }: Exchange) => sendChunks(socket, '1\r\n \r\n', 2_000),
  manyChunks: ({ socket }: Exchange) => sendChunks(socket, '1\r\n \r\n', 20_000),
  /** Sends little in chunks with long extensions. */
  longChunks: ({ socket }: Exchange) => sendChunks(socket, `1;${'x'.repeat(1_000)}\r\n \r\n`, 1_500),
  /** Sends interim answers before a good one. */
  fewHints: ({ socket }: Exchange) => void socket.write(EARLY_HINTS.repeat(8) + SHORT_ANSWER),
  manyHints: ({ socket }: Exchange) => void socket.write(EARLY_HINTS.repeat(9) + SHORT_ANSWER),
  hugeHeaders: ({ response }: Exchange) => response.writeHead(200, { 'x-filler': 'x'.repeat(64 * 1024) }).end(PONG),
  /** Sends a blank every tenth of a second, without end. */
  drip: ({ response }: Exchange) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  },
  /** Speaks no HTTP. */
  garbage: ({ socket }: Exchange) => socket.end('220 mail.example ESMTP\r\n\r\n'),
  /** Sends a good answer that is compressed, which nobody asked for. */
  compressed: ({ response }: Exchange) =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end(PONG),
  upgrade: ({ socket }: Exchange) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  /** Does what it is asked, whoever asks. */
  acceptsBad: async ({ response, say }: Exchange) => sendJson(response, 200, await say()),
  /** Refuses bad signatures with a status of its own. */
  forbidsBad: ({ request, response, good }: Exchange) =>
    request.isSigned ? good() : sendJson(response, 403, { message: 'go away' }),
  /** Knows commands and nothing else. */
  refusesPing: ({ request, response, good }: Exchange) =>
    request.interaction?.type === 1 ? sendJson(response, 400, { message: 'unknown command' }) : good(),
  /** Answers the first request of each connection, and ends the connection instead of answering the second. */
  closes: ({ onConnection, socket, good }: Exchange) => (onConnection > 1 ? void socket.resetAndDestroy() : good()),
};

function sendChunks(socket: Socket, chunk: string, count: number): void {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  socket.write(`${head}${chunk.repeat(count)}0\r\n\r\n`);
}

/** An interactions endpoint as people run them, on a port of its own: good until it is told to be otherwise. */
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

/** Bytes that are no text. */
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
