import { constants, deflateRawSync } from 'node:zlib';

/**
 * A piece of serialised JSON that many payloads share. Its bytes are made once, and its compressed form once when the first
 * compressed connection needs it.
 */
export class Piece {
  readonly bytes: Buffer;
  #deflated: Buffer | undefined;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
  }

  /** Raw deflate blocks that end at a byte boundary (`00 00 ff ff`) and refer to nothing before them. */
  get deflated(): Buffer {
    // Copied, because what zlib returns is a part of a larger buffer that would stay with it.
    this.#deflated ??= Buffer.from(deflateRawSync(this.bytes, { finishFlush: constants.Z_SYNC_FLUSH }));
    return this.#deflated;
  }
}

/** One payload on its way out: text of its own, then shared pieces. Keeps what each encoding made of it. */
export class Payload {
  protected readonly frames: (Buffer | undefined)[] = [];

  constructor(
    private readonly text: string,
    readonly pieces: readonly Piece[] = [],
  ) {}

  /** ASCII text. */
  get head(): string {
    return this.text;
  }

  get byteLength(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.bytes.length, this.head.length);
  }

  /** What `make` makes of this payload, remembered under `slot`. */
  encoded(slot: number, make: (payload: Payload) => Buffer): Buffer {
    this.frames[slot] ??= make(this);
    return this.frames[slot];
  }

  /** A socket goes on holding bytes of this payload: from now on they stay as they are. */
  hold(): void {}
}

/**
 * An event with a sequence number. A frame for each session would be most of what a fan-out costs beside its sockets, so the
 * frames of one number become those of the next: their digits are overwritten, unless the head is compressed in them or a
 * socket still needs them.
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

  /** Makes this the dispatch of another number. @returns false when that takes new frames */
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

  /** Where the head stands in an encoding's frame; -1 when it is compressed. The same for every number of as many digits. */
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

/** A gateway event without a sequence number: what sessions keep, share and send. */
export class GatewayEvent {
  readonly size: number;
  readonly #pieces: readonly Piece[];
  #latest: Dispatch | undefined;

  /** @param data the serialised `d`, in pieces that follow each other */
  constructor(
    readonly type: string,
    ...data: Piece[]
  ) {
    this.#pieces = [...data, CLOSING_BRACE];
    this.size = this.#pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
  }

  /** The event as a dispatch. It is good until the next call, which may give it another number. */
  at(sequence: number): Payload {
    if (!this.#latest?.renumber(sequence)) this.#latest = new Dispatch(this.type, sequence, this.#pieces);
    return this.#latest;
  }

  /** Lets go of what was made for sending, once everybody has it. */
  settle(): void {
    this.#latest = undefined;
  }
}

const CLOSING_BRACE = new Piece('}');

/** An event whose `d` nobody shares. */
export function eventOf(type: string, data: object): GatewayEvent {
  return new GatewayEvent(type, new Piece(JSON.stringify(data)));
}
