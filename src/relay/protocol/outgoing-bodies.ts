import { BrokenBody, type CreditLimits } from './broken-body.js';
import { MAX_PIECE_BYTES } from './messages.js';
import type { Piece } from './pieces.js';

/** Stands for all streams together (docs/relay.md, R-22). */
const ALL_STREAMS = 0;

interface Way {
  readonly hasCapacity: boolean;
  send(piece: Piece): void;
}

/** Sends bodies in turn, as far as credit allows. */
export class OutgoingBodies {
  /** The first body with bytes and credit sends next. */
  readonly #bodies = new Map<number, OutgoingBody>();
  #streamCredit = 0;
  #credit = 0;
  #isSending = false;
  #end: Error | null = null;

  constructor(private readonly way: Way) {}

  allow({ streamCredit, boxCredit }: CreditLimits): void {
    this.#streamCredit = streamCredit;
    this.#credit = boxCredit;
  }

  /** @throws BrokenBody if the body is stopped */
  async send(id: number, source: AsyncIterable<Buffer>): Promise<void> {
    if (this.#end) throw this.#end;
    if (this.#bodies.has(id)) throw new Error(`a body is already being sent on stream ${id}`);
    const body = new OutgoingBody(this.#streamCredit);
    this.#bodies.set(id, body);
    try {
      await Promise.race([body.stopped, this.#sendAll(body, source)]);
    } finally {
      if (this.#bodies.get(id) === body) this.#bodies.delete(id);
    }
  }

  stop(id: number): void {
    const body = this.#bodies.get(id);
    this.#bodies.delete(id);
    body?.stop(new BrokenBody(`the body on stream ${id} was stopped`));
  }

  end(error: Error): void {
    this.#end = error;
    for (const body of this.#bodies.values()) body.stop(error);
    this.#bodies.clear();
  }

  addCredit(id: number, bytes: number): void {
    const body = this.#bodies.get(id);
    if (id === ALL_STREAMS) this.#credit += bytes;
    else if (body) body.credit += bytes;
    this.resume();
  }

  resume(): void {
    // Credit may arrive while a piece is being sent.
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let next = this.#next(); next; next = this.#next()) this.#sendPiece(...next);
    } finally {
      this.#isSending = false;
    }
  }

  async #sendAll(body: OutgoingBody, source: AsyncIterable<Buffer>): Promise<void> {
    for await (const bytes of source) {
      const isSent = body.offer(bytes);
      this.resume();
      await isSent;
    }
  }

  #next(): [number, OutgoingBody] | undefined {
    if (this.#credit === 0 || !this.way.hasCapacity) return undefined;
    for (const entry of this.#bodies) if (entry[1].size > 0) return entry;
    return undefined;
  }

  #sendPiece(id: number, body: OutgoingBody): void {
    this.#bodies.delete(id);
    this.#bodies.set(id, body);
    const bytes = body.cut(Math.min(MAX_PIECE_BYTES, this.#credit));
    this.#credit -= bytes.length;
    this.way.send({ id, bytes });
  }
}

class OutgoingBody {
  /** Rejects when the body is stopped. */
  readonly stopped: Promise<never>;
  #reject: (error: Error) => void = () => {};
  #error: Error | null = null;
  #offered: Buffer = Buffer.alloc(0);
  #isSent = { resolve: () => {}, reject: (_: Error) => {} };

  constructor(public credit: number) {
    this.stopped = new Promise((_, reject) => {
      this.#reject = reject;
    });
  }

  get size(): number {
    return Math.min(this.#offered.length, this.credit);
  }

  async offer(bytes: Buffer): Promise<void> {
    if (this.#error) throw this.#error;
    if (bytes.length === 0) return;
    this.#offered = bytes;
    await new Promise<void>((resolve, reject) => {
      this.#isSent = { resolve, reject };
    });
  }

  cut(most: number): Buffer {
    const bytes = this.#offered.subarray(0, Math.min(most, this.size));
    this.credit -= bytes.length;
    this.#offered = this.#offered.subarray(bytes.length);
    if (this.#offered.length === 0) this.#isSent.resolve();
    return bytes;
  }

  stop(error: Error): void {
    this.#error = error;
    this.#offered = Buffer.alloc(0);
    this.#isSent.reject(error);
    this.#reject(error);
  }
}
