import { Readable } from 'node:stream';
import { BrokenBody, type CreditLimits } from './broken-body.js';
import type { Piece } from './pieces.js';

/** What waits is kept in buffers of at least half of this, so that many small pieces do not cost a multiple of their bytes. */
const JOINED_BYTES = 16_384;

/** The number that stands for all streams together (docs/relay.md, R-22). */
const ALL_STREAMS = 0;

interface Does {
  giveCredit(id: number, bytes: number): void;
  /** Ends the link, since the other end broke a rule. */
  refuse(reason: string): void;
}

/** The bodies that arrive over a link. */
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

  /** A body that was announced. Its number is free where nobody reads what is left of an earlier one. */
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
    const fault = body ? body.faultOf(bytes) : 'that nobody announced';
    if (fault !== null) this.does.refuse(`a piece on stream ${id} ${fault}`);
    else body?.add(bytes);
    if (body) this.#forget(id, body);
  }

  /** Nobody reads it; what still comes is thrown away. */
  drop(id: number): void {
    this.#bodies.get(id)?.destroy();
  }

  /** Nothing more comes of it. */
  breakOff(id: number): void {
    const body = this.#bodies.get(id);
    if (!body?.missing) return;
    this.#bodies.delete(id);
    body.destroy(new BrokenBody(`the other end broke off the body on stream ${id}`));
  }

  /** Nothing more comes of any. Those that came whole can still be read. */
  end(error: Error): void {
    this.#end = error;
    for (const body of this.#bodies.values()) if (body.isAwaited) body.destroy(error);
    this.#bodies.clear();
  }

  /** Lets go of a body that came whole and that nobody reads any more. */
  #forget(id: number, body: IncomingBody): void {
    if (body.destroyed && body.missing === 0 && this.#bodies.get(id) === body) this.#bodies.delete(id);
  }
}

/** A body as it arrives. Bytes are used up when they are handed to the reader, or thrown away. */
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
    // A body that nobody has begun to read may break, too; whoever reads it learns that from the stream's state.
    this.on('error', () => {});
    if (length === 0) this.push(null);
  }

  /** Bytes that have not come yet. */
  get missing(): number {
    return this.#missing;
  }

  /** Whether somebody waits for the rest. */
  get isAwaited(): boolean {
    return this.#missing > 0 && !this.destroyed;
  }

  /** What is wrong with a piece of it; null for nothing. */
  faultOf({ length }: Buffer): string | null {
    if (length > this.#missing) return 'beyond what was announced';
    return length > this.own.left || length > this.all.left ? 'beyond the credit' : null;
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
    // Whoever has sent all of a body needs no more credit for it, and may use its number for another.
    if (this.#missing > 0) this.own.giveBack(bytes);
    this.all.giveBack(bytes);
  }
}

/** What the other end may send. What was used up is given back together, before it is as much as what is left. */
class Allowance {
  #used = 0;
  #left: number;

  constructor(
    credit: number,
    private readonly give: (bytes: number) => void,
  ) {
    this.#left = credit;
  }

  /** Bytes that the other end may still send. */
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
