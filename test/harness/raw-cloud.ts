import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface Message {
  op: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  [field: string]: any;
}

/** The prefix of an Ed25519 public key in DER (RFC 8410, section 4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** The cloud's end of one connection of a box, controlled by a test. */
export class RawConnection {
  readonly #unread: Message[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly received: Message[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  constructor(private readonly socket: WebSocket) {
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
    socket.on('error', () => {});
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      const message: Message = isBinary
        ? { op: 'piece', id: data.readUInt32BE(0), bytes: data.subarray(4) }
        : JSON.parse(String(data));
      if (message.op === 'ping') return this.send({ op: 'pong', t: message.t });
      this.received.push(message);
      this.#unread.push(message);
      for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }

  send(message: Message): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Sends text as it is, and a buffer as a binary message. */
  raw(message: string | Buffer): void {
    this.socket.send(message);
  }

  piece(id: number, bytes: Buffer | string): void {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(id);
    this.socket.send(Buffer.concat([head, Buffer.from(bytes)]));
  }

  /** The first unread message that passes. Only the time limit of the test ends the wait. */
  async next(op: string, passes: (message: Message) => boolean = () => true): Promise<Message> {
    for (;;) {
      const at = this.#unread.findIndex((message) => message.op === op && passes(message));
      const [message] = at === -1 ? [] : this.#unread.splice(at, 1);
      if (message) return message;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async answer(id: number): Promise<{ status: number; headers: Record<string, string>; body: string }> {
    const { status, headers, body } = await this.next('response', (message) => message.id === id);
    const pieces: Buffer[] = [];
    for (let left: number = body; left > 0; left -= pieces.at(-1)?.length ?? 0) {
      pieces.push((await this.next('piece', (message) => message.id === id)).bytes);
    }
    return { status, headers, body: Buffer.concat(pieces).toString() };
  }

  close(code: number, reason = ''): void {
    this.socket.close(code, reason);
  }

  cut(): void {
    this.socket.terminate();
  }
}

/** Deviations from the default handshake. */
export interface Terms {
  origin?: string;
  version?: number;
  boxId?: string;
  idSpace?: number;
  name?: string;
  events?: { session: string; seq: number } | null;
  answerBytes?: number;
}

/** A cloud without a platform, controlled by a test (docs/relay.md). */
export class RawCloud {
  readonly #waiting: RawConnection[] = [];
  #wake: (() => void) | null = null;
  #generation = 0;
  connections = 0;

  private constructor(private readonly server: WebSocketServer) {
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#waiting.push(new RawConnection(socket));
      this.#wake?.();
    });
  }

  /** @param port 0 picks a free one */
  static async open(port = 0): Promise<RawCloud> {
    const server = new WebSocketServer({ port, host: '127.0.0.1', path: '/relay' });
    await once(server, 'listening');
    return new RawCloud(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next connection, before the handshake. */
  async accept(): Promise<RawConnection> {
    for (;;) {
      const connection = this.#waiting.shift();
      if (connection) return connection;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /**
   * Accepts the next connection and runs the handshake.
   * @returns the connection and the messages of the box
   */
  async welcome(terms: Terms = {}): Promise<{ connection: RawConnection; hello: Message; isSigned: boolean }> {
    const connection = await this.accept();
    const hello = await connection.next('hello');
    const nonce = randomBytes(32).toString('base64url');
    const origin = terms.origin ?? this.origin;
    connection.send({ op: 'challenge', version: terms.version ?? 1, features: [], nonce, origin });
    const { signature } = await connection.next('proof');
    const signed = Buffer.from(['causeway relay 1', nonce, hello.key, origin].join('\n'));
    const isSigned = verify(null, signed, publicKey(hello.key), Buffer.from(signature, 'base64url'));
    this.#generation += 1;
    connection.send({
      op: 'welcome',
      box_id: terms.boxId ?? '4242',
      name: terms.name ?? 'Attic',
      id_space: terms.idSpace ?? 5_000,
      generation: this.#generation,
      limits: {
        requests: 64,
        stream_credit: 1_048_576,
        box_credit: 4_194_304,
        answer_bytes: terms.answerBytes ?? 8_388_608,
      },
      events: terms.events ?? null,
    });
    return { connection, hello, isSigned };
  }

  async stop(): Promise<void> {
    for (const socket of this.server.clients) socket.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function publicKey(key: string) {
  const der = Buffer.concat([SPKI_PREFIX, Buffer.from(key, 'base64url')]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}
