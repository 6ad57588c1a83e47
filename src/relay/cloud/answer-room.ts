import type { Release } from '../../infra/slots.js';

/** How many bytes of answers are kept at once until they can be handed on (docs/relay.md, R-24): of one box, and of all boxes of a process. */
export const MAX_KEPT_BYTES = { box: 32 * 1024 * 1024, process: 128 * 1024 * 1024 };

/** Answers up to this, which almost all are, find room whatever large ones other boxes send, in bytes. */
export const SMALL_BYTES = 64 * 1024;

/** The room that a process has for answers while they arrive. */
export class AnswerRoom {
  #bytes = 0;

  /** Bytes of large answers that are kept at present. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The part of it that one box may take. */
  ofBox(): RoomOfBox {
    return new RoomOfBox(this);
  }

  /** Keeps room for an answer of so many bytes; null where there is none left. Whoever takes it frees it again. */
  take(bytes: number): Release | null {
    if (bytes <= SMALL_BYTES) return () => {};
    if (this.#bytes + bytes > MAX_KEPT_BYTES.process) return null;
    this.#bytes += bytes;
    return once(() => {
      this.#bytes -= bytes;
    });
  }
}

/** The room that the answers of one box have. */
export class RoomOfBox {
  #bytes = 0;

  constructor(private readonly all: AnswerRoom) {}

  /** As {@link AnswerRoom.take}. */
  take(bytes: number): Release | null {
    if (this.#bytes + bytes > MAX_KEPT_BYTES.box) return null;
    const release = this.all.take(bytes);
    if (!release) return null;
    this.#bytes += bytes;
    return once(() => {
      this.#bytes -= bytes;
      release();
    });
  }
}

function once(free: () => void): Release {
  let isHeld = true;
  return () => {
    if (isHeld) free();
    isHeld = false;
  };
}
