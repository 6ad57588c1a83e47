import { Readable } from 'node:stream';
import { BrokenBody, type CreditLimits } from './broken-body.js';
import type { Piece } from './pieces.js';

/** Pieces are joined up to this size, because many tiny buffers take a multiple of their bytes. */
const JOINED_BYTES = 16_384;

/** Stands for all streams together (docs/relay.md, R-22). */
const ALL_STREAMS = 0;

interface Does {
  giveCredit(id: number, bytes: number): void;
  refuse(reason: string): void;
}

export class IncomingBodies {
  readonly #bodies = new Map<number, IncomingBody>();
  #streamCredit = 0;
  #all = new Allowance(0, () => {});
  #end: Error | null = null;

  constructor(private readonly does: Does) {}

  allow({ streamCredit, boxCredit }: CreditLimits): void {
    this.#streamCredit = streamCredit;
    this.#all = new Allowance(boxCredit, (bytes) => this.does.giveCredit(ALL_STREAMS, bytes));
  }

  /** A stream can be reused after its earlier body has arrived or was dropped. */
  expect(id: number, length: number): Readable {
    if (this.#bodies.get(id)?.isAwaited) this.does.refuse(`stream ${id} is in use`);
    const own = new Allowance(this.#streamCredit, (bytes) => this.does.giveCredit(id, bytes));
    const body = new IncomingBody(length, own, this.#all);
    if (this.#end) {
      body.destroy(this.#end);
    } else {
      this.#bodies.set(id, body);
      body.once('close', () => this.#forget(id, body));
    }
    return body;
  }

  take({ id, bytes }: Piece): void {
    const body = this.#bodies.get(id);
    const fault = body ? body.faultOf(bytes) : 'was not announced';
    if (fault !== null) this.does.refuse(`a piece on stream ${id} ${fault}`);
    else body?.add(bytes);
    if (body) this.#forget(id, body);
  }

  drop(id: number): void {
    this.#bodies.get(id)?.destroy();
  }

  breakOff(id: number): void {
    const body = this.#bodies.get(id);
    if (!body?.missing) return;
    this.#bodies.delete(id);
    body.destroy(new BrokenBody(`the other end interrupted the body on stream ${id}`));
  }

  /** Complete bodies can still be read. */
  end(error: Error): void {
    this.#end = error;
    for (const body of this.#bodies.values()) if (body.isAwaited) body.destroy(error);
    this.#bodies.clear();
  }

  #forget(id: number, body: IncomingBody): void {
    if (body.destroyed && body.missing === 0 && this.#bodies.get(id) === body) this.#bodies.delete(id);
  }
}

/** Bytes give their credit back when they are read or discarded. */
class IncomingBody extends Readable {
  readonly #waiting: Buffer[] = [];
  #missing: number;
  #isAsked = false;

  constructor(
    length: number,
    private readonly own: Allowance,
    private readonly all: Allowance,
  ) {
    super({ highWaterMark: 1 });
    this.#missing = length;
    // A body may fail before it has a reader.
    this.on('error', () => {});
    if (length === 0) this.push(null);
  }

  get missing(): number {
    return this.#missing;
  }

  get isAwaited(): boolean {
    return this.#missing > 0 && !this.destroyed;
  }

  faultOf({ length }: Buffer): string | null {
    if (length > this.#missing) return 'exceeds the announced length';
    return length > this.own.left || length > this.all.left ? 'exceeds the credit' : null;
  }

  add(bytes: Buffer): void {
    this.#missing -= bytes.length;
    this.own.take(bytes.length);
    this.all.take(bytes.length);
    if (this.destroyed) this.#use(bytes.length);
    else this.#keep(bytes);
    this.#hand();
  }

  override _read(): void {
    this.#isAsked = true;
    this.#hand();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    for (const bytes of this.#waiting.splice(0)) this.#use(bytes.length);
    done(error);
  }

  #keep(bytes: Buffer): void {
    const last = this.#waiting.at(-1);
    if (last && last.length + bytes.length <= JOINED_BYTES) this.#waiting.splice(-1, 1, Buffer.concat([last, bytes]));
    else this.#waiting.push(bytes);
  }

  #hand(): void {
    if (!this.#isAsked || this.destroyed) return;
    const bytes = this.#waiting.shift();
    if (!bytes) return;
    this.#isAsked = false;
    this.push(bytes);
    this.#use(bytes.length);
    if (this.#missing === 0 && this.#waiting.length === 0) this.push(null);
  }

  #use(bytes: number): void {
    // After the last piece, the sender needs no more credit for this stream.
    if (this.#missing > 0) this.own.giveBack(bytes);
    this.all.giveBack(bytes);
  }
}

/** Gives credit back in one message, once the used bytes are at least as many as those left. */
class Allowance {
  #used = 0;
  #left: number;

  constructor(
    credit: number,
    private readonly give: (bytes: number) => void,
  ) {
    this.#left = credit;
  }

  get left(): number {
    return this.#left;
  }

  take(bytes: number): void {
    this.#left -= bytes;
    this.#settle();
  }

  giveBack(bytes: number): void {
    this.#used += bytes;
    this.#settle();
  }

  #settle(): void {
    if (this.#used === 0 || this.#used < this.#left) return;
    const bytes = this.#used;
    this.#used = 0;
    this.#left += bytes;
    this.give(bytes);
  }
}
