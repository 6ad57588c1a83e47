import { constants, deflateRawSync } from 'node:zlib';

/** Serialised JSON shared by many payloads, compressed at most once. */
export class Piece {
  readonly bytes: Buffer;
  #deflated: Buffer | undefined;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
  }

  /** Raw deflate blocks that end at a byte boundary (`00 00 ff ff`) and refer to no earlier data. */
  get deflated(): Buffer {
    // Copied, because zlib returns a slice that keeps a larger buffer alive.
    this.#deflated ??= Buffer.from(deflateRawSync(this.bytes, { finishFlush: constants.Z_SYNC_FLUSH }));
    return this.#deflated;
  }
}

/** An outgoing payload: its own text, then shared pieces. */
export class Payload {
  protected readonly frames: (Buffer | undefined)[] = [];

  constructor(
    private readonly text: string,
    readonly pieces: readonly Piece[] = [],
  ) {}

  /** The text before the pieces, in ASCII. */
  get head(): string {
    return this.text;
  }

  get byteLength(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.bytes.length, this.head.length);
  }

  encoded(slot: number, make: (payload: Payload) => Buffer): Buffer {
    this.frames[slot] ??= make(this);
    return this.frames[slot];
  }

  /** Called if a socket still holds bytes of this payload, which must not change then. */
  hold(): void {}
}

/**
 * An event with a sequence number. Sessions reuse its frames, because building one per session would dominate the cost
 * of a fan-out. Only the digits of the number are overwritten, unless the head is compressed or a socket holds the
 * frame.
 */
class Dispatch extends Payload {
  readonly #headAt: number[] = [];
  #held = false;

  constructor(
    private readonly type: string,
    private sequence: number,
    pieces: readonly Piece[],
  ) {
    super('', pieces);
  }

  override get head(): string {
    return `${beforeNumber(this.type)}${this.sequence},"op":0,"d":`;
  }

  override hold(): void {
    this.#held = true;
  }

  /** @returns false if the payload needs new frames */
  renumber(sequence: number): boolean {
    if (sequence === this.sequence) return true;
    const digits = digitsOf(sequence);
    if (this.#held || digits !== digitsOf(this.sequence)) return false;
    const { frames } = this;
    for (let slot = 0; slot < frames.length; slot += 1) {
      const frame = frames[slot];
      if (frame === undefined) continue;
      const headAt = this.#headIn(frame, slot);
      if (headAt < 0) frames[slot] = undefined;
      else writeNumber(frame, headAt + beforeNumber(this.type).length, digits, sequence);
    }
    this.sequence = sequence;
    return true;
  }

  /** Offset of the head in the frame; -1 if the head is compressed. It depends only on the length of the number. */
  #headIn(frame: Buffer, slot: number): number {
    const known = this.#headAt[slot];
    if (known !== undefined) return known;
    const found = frame.indexOf(this.head, 0, 'latin1');
    this.#headAt[slot] = found;
    return found;
  }
}

function beforeNumber(type: string): string {
  return `{"t":"${type}","s":`;
}

function digitsOf(number: number): number {
  let digits = 1;
  for (let limit = 10; number >= limit; limit *= 10) digits += 1;
  return digits;
}

function writeNumber(bytes: Buffer, at: number, digits: number, number: number): void {
  let rest = number;
  for (let index = at + digits - 1; index >= at; index -= 1) {
    bytes[index] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/** A gateway event without a sequence number, shared by sessions. */
export class GatewayEvent {
  readonly size: number;
  readonly #pieces: readonly Piece[];
  #latest: Dispatch | undefined;

  /** @param data the serialised `d`, as consecutive pieces */
  constructor(
    readonly type: string,
    ...data: Piece[]
  ) {
    this.#pieces = [...data, CLOSING_BRACE];
    this.size = this.#pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
  }

  /** The serialised `d`. */
  get data(): string {
    return Buffer.concat(this.#pieces.slice(0, -1).map(({ bytes }) => bytes)).toString();
  }

  /** The result is valid until the next call, which may renumber it. */
  at(sequence: number): Payload {
    if (!this.#latest?.renumber(sequence)) this.#latest = new Dispatch(this.type, sequence, this.#pieces);
    return this.#latest;
  }

  /** Frees the frames. Call this after the last session. */
  settle(): void {
    this.#latest = undefined;
  }
}

const CLOSING_BRACE = new Piece('}');

export function eventOf(type: string, data: object): GatewayEvent {
  return new GatewayEvent(type, new Piece(JSON.stringify(data)));
}
