import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import nacl from 'tweetnacl';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type RawMessage = { op: string } & Record<string, any>;

const TIMEOUT_MS = 20_000;

/** A bare WebSocket to the relay. It does nothing automatically: it answers no pings and gives no credit. */
export class RawRelay {
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly messages: RawMessage[] = [];
  readonly #unread: RawMessage[] = [];
  readonly #pieces: { id: number; bytes: Buffer }[] = [];
  readonly #wakes = new Set<() => void>();
  #closeOf: { code: number; reason: string } | undefined;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#pieces.push({ id: data.readUInt32BE(), bytes: data.subarray(4) });
      else this.#take(JSON.parse(data.toString()) as RawMessage);
      this.#wake();
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.#closeOf = { code, reason: reason.toString() };
        resolve(this.#closeOf);
        this.#wake();
      });
    });
  }

  /** Sends an object as JSON, text as it is, and a buffer as a binary message. */
  send(message: object | string | Buffer): void {
    this.socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  sendBody(id: number, body: Buffer | string, size = 65_536): void {
    const bytes = Buffer.from(body);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(id);
    for (let at = 0; at < bytes.length; at += size) this.send(Buffer.concat([head, bytes.subarray(at, at + size)]));
  }

  /** The first unread message with this op; without `op`, with any op. Others stay unread. */
  next(op?: string): Promise<RawMessage> {
    return this.#until(`a message ${op ?? ''}`, () => {
      const at = this.#unread.findIndex((message) => op === undefined || message.op === op);
      return at < 0 ? undefined : this.#unread.splice(at, 1)[0];
    });
  }

  nextPiece(id: number): Promise<Buffer> {
    return this.#until(`a piece on stream ${id}`, () => {
      const at = this.#pieces.findIndex((piece) => piece.id === id);
      return at < 0 ? undefined : this.#pieces.splice(at, 1)[0]?.bytes;
    });
  }

  /** The next `length` bytes of a stream. For many bytes it returns credit. */
  async body(id: number, length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0; ) {
      const bytes = await this.nextPiece(id);
      pieces.push(bytes);
      left -= bytes.length;
      if (left > 0) this.send({ op: 'credit', id, bytes: bytes.length });
      this.send({ op: 'credit', id: 0, bytes: bytes.length });
    }
    return Buffer.concat(pieces);
  }

  /**
   * Answers the next request or call with JSON, or without a body.
   * @returns the request, with its body as text
   */
  async answer(value?: unknown, status = value === undefined ? 204 : 200): Promise<RawMessage & { text: string }> {
    const asked = await this.#until('a request or a call', () => {
      const at = this.#unread.findIndex(({ op }) => op === 'request' || op === 'call');
      return at < 0 ? undefined : this.#unread.splice(at, 1)[0];
    });
    const text = String(await this.body(asked.id, asked.body ?? 0));
    const body = value === undefined ? '' : JSON.stringify(value);
    this.send({ op: 'response', id: asked.id, status, headers: {}, body: Buffer.byteLength(body) });
    this.sendBody(asked.id, body);
    return { ...asked, text };
  }

  async close(code = 1000): Promise<void> {
    this.socket.close(code);
    await this.closed;
  }

  /** Drops the connection without a close. */
  cut(): void {
    this.socket.terminate();
  }

  #take(message: RawMessage): void {
    this.messages.push(message);
    this.#unread.push(message);
  }

  #wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  async #until<Found>(what: string, find: () => Found | undefined): Promise<Found> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.#closeOf) throw new Error(`closed ${this.#closeOf.code} ${this.#closeOf.reason} before ${what} came`);
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`${what} did not come within ${TIMEOUT_MS} ms`);
      await this.#somethingCame(left);
    }
  }

  #somethingCame(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wakes.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      this.#wakes.add(wake);
    });
  }
}

export async function openRelay(origin: string): Promise<RawRelay> {
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/relay`, { perMessageDeflate: false });
  const relay = new RawRelay(socket);
  await once(socket, 'open');
  return relay;
}

/** Deviations from the default handshake. Fields of the messages replace the default ones and are sent as they are. */
export interface Greeting {
  keys?: nacl.SignKeyPair;
  token?: string;
  versions?: unknown;
  features?: unknown;
  instance?: string;
  hello?: object;
  proof?: object;
}

export interface Greeted {
  relay: RawRelay;
  keys: nacl.SignKeyPair;
  challenge: RawMessage;
  welcome: RawMessage;
}

/** Runs the handshake (docs/relay.md, R-10 to R-15). Without a welcome it fails with the close code. */
export async function greet(origin: string, greeting: Greeting = {}): Promise<Greeted> {
  const relay = await openRelay(origin);
  const { keys, challenge } = await introduce(relay, greeting);
  return { relay, keys, challenge, welcome: await relay.next('welcome') };
}

/** Runs the handshake over an open connection, without waiting for the welcome. */
export async function introduce(relay: RawRelay, greeting: Greeting = {}) {
  const { keys = nacl.sign.keyPair(), token, versions = [1], features = [], instance = randomUUID() } = greeting;
  const key = base64url(keys.publicKey);
  relay.send({ op: 'hello', versions, features, software: 'test', key, token, instance, ...greeting.hello });
  const challenge = await relay.next('challenge');
  relay.send({ op: 'proof', signature: signGreeting(keys, challenge), ...greeting.proof });
  return { keys, challenge };
}

/** The signature over a challenge. */
export function signGreeting(keys: nacl.SignKeyPair, { nonce, origin }: RawMessage): string {
  const signed = ['causeway relay 1', nonce, base64url(keys.publicKey), origin].join('\n');
  return base64url(nacl.sign.detached(Buffer.from(signed), keys.secretKey));
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
