import { once } from 'node:events';
import { GatewayIntentBits } from 'discord-api-types/v10';
import { WebSocket } from 'ws';

export interface Frame {
  op: number;
  t: string | null;
  s: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  d: any;
}

export interface CloseOf {
  code: number;
  reason: string;
}

export type Decoder = (data: Buffer, isBinary: boolean) => string;

const plainText: Decoder = (data) => data.toString();

export const ALL_INTENTS = Object.values(GatewayIntentBits).reduce<number>(
  (all, bit) => (typeof bit === 'number' ? all | bit : all),
  0,
);

const TIMEOUT_MS = 20_000;

/** A bare WebSocket with the payloads of the protocol. It does nothing automatically. */
export class GatewayClient {
  readonly frames: Frame[] = [];
  readonly messages: { data: Buffer; isBinary: boolean }[] = [];
  readonly closed: Promise<CloseOf>;
  sequence: number | null = null;
  #read = 0;
  #wake: () => void = () => {};
  #closeOf: CloseOf | undefined;

  private constructor(
    readonly socket: WebSocket,
    decoder: Decoder,
  ) {
    socket.on('message', (data: Buffer, isBinary) => {
      this.messages.push({ data, isBinary });
      const frame = JSON.parse(decoder(data, isBinary)) as Frame;
      if (frame.s !== null) this.sequence = frame.s;
      this.frames.push(frame);
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

  static async open(origin: string, query = '?v=10&encoding=json', decoder = plainText): Promise<GatewayClient> {
    const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/gateway${query}`, { perMessageDeflate: false });
    const client = new GatewayClient(socket, decoder);
    await once(socket, 'open');
    return client;
  }

  send(op: number, d: unknown): void {
    this.socket.send(JSON.stringify({ op, d }));
  }

  /** The next unread frame that matches. Others are skipped. */
  async next(matches: (frame: Frame) => boolean = () => true): Promise<Frame> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      while (this.#read < this.frames.length) {
        const frame = this.frames[this.#read++]!;
        if (matches(frame)) return frame;
      }
      if (this.#closeOf) throw new Error(`closed ${this.#closeOf.code} ${this.#closeOf.reason} while waiting`);
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`no such frame within ${TIMEOUT_MS} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  op(op: number): Promise<Frame> {
    return this.next((frame) => frame.op === op);
  }

  event(type: string): Promise<Frame> {
    return this.next((frame) => frame.t === type);
  }

  identify(token: string, more: object = {}): void {
    this.send(2, { token, intents: ALL_INTENTS, properties: {}, ...more });
  }

  /** Identifies, and reads until READY and a GUILD_CREATE for each of its guilds. */
  async ready(token: string, more: object = {}): Promise<Frame> {
    this.identify(token, more);
    const ready = await this.event('READY');
    for (const _ of ready.d.guilds) await this.next(({ t }) => t === 'GUILD_CREATE' || t === 'GUILD_DELETE');
    return ready;
  }

  /** All dispatches until an answered heartbeat. */
  async settled(): Promise<Frame[]> {
    const from = this.#read;
    this.send(1, this.sequence);
    await this.op(11);
    return this.frames.slice(from, this.#read).filter((frame) => frame.op === 0);
  }

  async close(code = 1000): Promise<void> {
    this.socket.close(code);
    await this.closed;
  }
}
