import { WebSocket } from 'ws';
import { JSON_BODY } from './command-world.js';
import type { Load } from './load.js';

interface Frame {
  op: number;
  t: string | null;
  d: { id: string; token: string };
}

const ANSWER = JSON.stringify({ type: 4, data: { content: 'The ferry leaves at noon.' } });

/** A gateway client that answers every interaction through the callback route. */
export class AnsweringBot {
  readonly ready: Promise<void>;
  readonly #socket: WebSocket;
  /** Answered interactions without a waiter, and waiters without an answered interaction. */
  readonly #answered = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  constructor(
    private readonly origin: string,
    token: string,
    private readonly load: Load,
  ) {
    const url = `${origin.replace('http', 'ws')}/gateway?v=10&encoding=json`;
    this.#socket = new WebSocket(url, { perMessageDeflate: false });
    this.ready = new Promise((resolve, reject) => {
      this.#socket.on('error', reject);
      this.#socket.on('message', (data) => {
        const { op, t, d } = JSON.parse(String(data)) as Frame;
        if (op === 10) this.#socket.send(identify(token));
        else if (t === 'READY') resolve();
        else if (t === 'INTERACTION_CREATE') void this.#answer(d);
      });
    });
  }

  /** Settles when an interaction's answer was accepted. May be called once for each interaction. */
  async answered(id: string): Promise<void> {
    if (this.#answered.delete(id)) return;
    await new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    this.#waiting.delete(id);
  }

  close(): void {
    this.#socket.terminate();
  }

  async #answer({ id, token }: Frame['d']): Promise<void> {
    const url = `${this.origin}/api/v10/interactions/${id}/${token}/callback`;
    await this.load.once({ method: 'POST', url, headers: JSON_BODY, body: ANSWER });
    const arrived = this.#waiting.get(id);
    if (arrived) arrived();
    else this.#answered.add(id);
  }
}

function identify(token: string): string {
  const properties = { os: 'linux', browser: 'bench', device: 'bench' };
  return JSON.stringify({ op: 2, d: { token, intents: 0, properties } });
}
