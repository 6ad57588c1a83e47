import { setTimeout as wait } from 'node:timers/promises';
import { GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10';
import { WebSocket } from 'ws';

const INTENTS = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.MessageContent;

const RETRY_MS = 250;

interface Frame {
  op: number;
  t: string | null;
  s: number | null;
  d: { id?: string; session_id?: string; resume_gateway_url?: string; heartbeat_interval?: number } | null;
}

/** A time without a connection, in milliseconds. */
export interface Outage {
  ms: number;
  /** From `performance.now()`. */
  endedAt: number;
  end: 'resumed' | 'identified';
}

/** A gateway client that resumes, and otherwise identifies, as client libraries do. */
export class DrillClient {
  /** How often each message came, by id. */
  readonly seen = new Map<string, number>();
  readonly outages: Outage[] = [];
  /** Closes that end a bot for good. */
  readonly refusals: number[] = [];
  #session: { id: string; url: string } | null = null;
  #sequence: number | null = null;
  #socket: WebSocket | null = null;
  #lostAt: number | null = null;
  #isOver = false;
  #wasReady = false;
  #heartbeat: NodeJS.Timeout | undefined;
  #markReady: () => void = () => {};
  readonly ready = new Promise<void>((resolve) => {
    this.#markReady = resolve;
  });

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  get isBack(): boolean {
    return this.#lostAt === null;
  }

  connect(): void {
    const socket = new WebSocket(`${this.#session?.url ?? this.url}?v=10&encoding=json`, { perMessageDeflate: false });
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#receive(socket, JSON.parse(data.toString()) as Frame));
    socket.on('error', () => {});
    socket.on('close', (code) => void this.#closed(socket, code));
  }

  /** Breaks the connection, as a network does. */
  drop(): void {
    this.#socket?.terminate();
  }

  end(): void {
    this.#isOver = true;
    clearInterval(this.#heartbeat);
    this.#socket?.terminate();
  }

  #send(op: number, d: unknown): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ op, d }));
  }

  #receive(socket: WebSocket, { op, t, s, d }: Frame): void {
    if (socket !== this.#socket) return;
    if (s !== null) this.#sequence = s;
    switch (op) {
      case GatewayOpcodes.Hello:
        this.#greet(d?.heartbeat_interval ?? 40_000);
        break;
      case GatewayOpcodes.Reconnect:
        socket.close(4_000);
        break;
      case GatewayOpcodes.InvalidSession:
        this.#session = null;
        void wait(1_000 + Math.random() * 4_000).then(() => this.#identify());
        break;
      case GatewayOpcodes.Dispatch:
        this.#dispatch(t, d);
        break;
    }
  }

  #greet(intervalMs: number): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = setInterval(() => this.#send(GatewayOpcodes.Heartbeat, this.#sequence), intervalMs);
    const session = this.#session;
    if (session) {
      this.#send(GatewayOpcodes.Resume, { token: this.token, session_id: session.id, seq: this.#sequence });
    } else this.#identify();
  }

  #identify(): void {
    const properties = { os: 'linux', browser: 'drill', device: 'drill' };
    this.#send(GatewayOpcodes.Identify, { token: this.token, intents: INTENTS, properties });
  }

  #dispatch(type: string | null, d: Frame['d']): void {
    switch (type) {
      case 'READY':
        this.#session = { id: d?.session_id ?? '', url: d?.resume_gateway_url ?? this.url };
        this.#back('identified');
        break;
      case 'RESUMED':
        this.#back('resumed');
        break;
      case 'GUILD_CREATE':
        this.#wasReady = true;
        this.#markReady();
        break;
      case 'MESSAGE_CREATE':
        this.seen.set(d?.id ?? '', (this.seen.get(d?.id ?? '') ?? 0) + 1);
        break;
    }
  }

  #back(end: Outage['end']): void {
    const endedAt = performance.now();
    if (this.#lostAt !== null) this.outages.push({ ms: endedAt - this.#lostAt, endedAt, end });
    this.#lostAt = null;
  }

  async #closed(socket: WebSocket, code: number): Promise<void> {
    if (socket !== this.#socket || this.#isOver) return;
    clearInterval(this.#heartbeat);
    if (code === 4_004 || (code >= 4_010 && code <= 4_014)) this.refusals.push(code);
    if (this.#wasReady) this.#lostAt ??= performance.now();
    await wait(RETRY_MS);
    if (!this.#isOver) this.connect();
  }
}
