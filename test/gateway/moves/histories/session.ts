import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Frame } from '../../../harness/gateway-client.js';
import type { TestBot } from '../../../harness/world.js';
import type { SessionRecord } from './check.js';

/** Close codes after which clients identify again. */
const ENDING_CODES = new Set([4003, 4004, 4005, 4007, 4008]);

const RETRY_MS = 20;

/** A client that resumes at any process, and keeps everything it receives. */
export class RoamingClient {
  /** The sessions one after another. The last is open. */
  readonly records: SessionRecord[] = [];
  #sessionId: string | null = null;
  #socket: WebSocket | null = null;
  readonly #left = new Set<WebSocket>();
  #leave: (code: number) => void = () => {};
  #isOver = false;
  readonly #running: Promise<void>;

  /** @param nextOrigin the process for the next connection */
  constructor(
    readonly name: string,
    readonly bot: TestBot,
    private readonly intents: number,
    private readonly nextOrigin: () => string,
  ) {
    this.#running = this.#run();
  }

  get record(): SessionRecord | undefined {
    return this.#sessionId === null ? undefined : this.records.at(-1);
  }

  /** @param isHalfOpen whether the server does not notice */
  cut(isHalfOpen: boolean): void {
    if (!isHalfOpen) this.#socket?.terminate();
    this.#leave(1006);
  }

  beat(): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#send(this.#socket, 1, this.#sequence);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#leave(1006);
    await this.#running;
    for (const socket of this.#left) socket.terminate();
  }

  get #sequence(): number | null {
    return this.record?.dispatches.at(-1)?.s ?? null;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const code = await this.#connect();
      if (ENDING_CODES.has(code)) this.#end(`closed ${code}`);
      await setTimeout(RETRY_MS);
    }
  }

  /** @returns the code with which the connection ended */
  async #connect(): Promise<number> {
    const url = `${this.nextOrigin().replace(/^http/, 'ws')}/gateway?v=10&encoding=json`;
    const socket = new WebSocket(url, { perMessageDeflate: false });
    this.#socket = socket;
    this.#left.add(socket);
    const code = await new Promise<number>((resolve) => {
      this.#leave = resolve;
      socket.on('error', () => {});
      socket.on('close', resolve);
      socket.on('open', () => this.#greet(socket));
      socket.on('message', (data) => this.#hear(socket, JSON.parse(String(data)) as Frame));
    });
    this.#socket = null;
    return code;
  }

  #greet(socket: WebSocket): void {
    const { token } = this.bot;
    if (this.#sessionId === null) this.#send(socket, 2, { token, intents: this.intents, properties: {} });
    else this.#send(socket, 6, { token, session_id: this.#sessionId, seq: this.#sequence });
  }

  #hear(socket: WebSocket, { op, t, s, d }: Frame): void {
    if (socket !== this.#socket) return;
    if (op === 7) this.#leave(socket.close(4999) ?? 4999);
    else if (op === 9) {
      this.#end('op 9');
      this.#greet(socket);
    } else if (op === 0) {
      if (t === 'READY') this.#begin(d.session_id);
      const { record } = this;
      if (t === 'RESUMED' && record) record.resumes += 1;
      record?.dispatches.push({ t, s, d, at: performance.now() });
    }
  }

  #begin(sessionId: string): void {
    this.#sessionId = sessionId;
    const name = `${this.name} ${this.records.length + 1}`;
    this.records.push({ name, botId: String(this.bot.id), dispatches: [], resumes: 0, ending: null });
  }

  #end(reason: string): void {
    if (this.record) this.record.ending = reason;
    this.#sessionId = null;
  }

  #send(socket: WebSocket, op: number, d: unknown): void {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ op, d }));
  }
}
