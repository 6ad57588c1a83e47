import type { Release } from '../../../infra/concurrency/semaphore.js';

/** Limits of buffered responses, per box and per process (docs/relay.md, R-24). */
export const MAX_KEPT_BYTES = { box: 32 * 1024 * 1024, process: 128 * 1024 * 1024 };

/**
 * Responses up to this size, almost all, do not use the process's quota. Other boxes' large responses cannot block
 * them.
 */
export const SMALL_BYTES = 64 * 1024;

export class ResponseQuota {
  #bytes = 0;

  /** Counts large responses only. */
  get bytes(): number {
    return this.#bytes;
  }

  ofBox(): BoxResponseQuota {
    return new BoxResponseQuota(this);
  }

  /** Null if the quota does not suffice. */
  take(bytes: number): Release | null {
    if (bytes <= SMALL_BYTES) return () => {};
    if (this.#bytes + bytes > MAX_KEPT_BYTES.process) return null;
    this.#bytes += bytes;
    return once(() => {
      this.#bytes -= bytes;
    });
  }
}

export class BoxResponseQuota {
  #bytes = 0;

  constructor(private readonly all: ResponseQuota) {}

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
