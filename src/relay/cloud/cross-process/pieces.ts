const PIECE_BYTES = 64 * 1024;

/** Limit of unacknowledged pieces. */
const WINDOW = 8;

export class OutgoingPieces {
  #room = WINDOW;
  #isStopped = false;
  #wake: () => void = () => {};

  /** @param send receives each piece in base64 */
  constructor(private readonly send: (data: string) => void) {}

  /**
   * Also resolves after `stop`.
   * @throws errors of reading `source`
   */
  async sendAll(source: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of source) {
      for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
        while (this.#room === 0 && !this.#isStopped) await this.#untilTaken();
        if (this.#isStopped) return;
        this.#room -= 1;
        this.send(chunk.subarray(start, start + PIECE_BYTES).toString('base64'));
      }
    }
  }

  taken(): void {
    this.#room += 1;
    this.#wake();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  #untilTaken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

export class IncomingPieces {
  readonly whole: Promise<Buffer>;
  readonly #pieces: Buffer[] = [];
  #left: number;
  #settle: (body: Buffer) => void = () => {};

  /**
   * @param size in bytes
   * @param acknowledge lets the sender send another piece
   */
  constructor(
    size: number,
    private readonly acknowledge: () => void,
  ) {
    this.#left = size;
    this.whole = new Promise((resolve) => {
      this.#settle = resolve;
    });
    if (size === 0) this.#settle(Buffer.alloc(0));
  }

  add(data: string): void {
    const piece = Buffer.from(data, 'base64');
    this.#pieces.push(piece);
    this.#left -= piece.length;
    this.acknowledge();
    if (this.#left <= 0) this.#settle(Buffer.concat(this.#pieces));
  }
}
