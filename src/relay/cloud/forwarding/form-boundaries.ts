import type { Hash } from 'node:crypto';

const FORM = /^\s*multipart\/form-data\s*(?:;|$)/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i;

/** Empty if a form has no boundary; null if the body is no form. */
export function boundaryOf(contentType: string | undefined): string | null {
  if (contentType === undefined || !FORM.test(contentType)) return null;
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? plain ?? '';
}

/**
 * In characters; shorter boundaries are hashed. No library generates them for a retry, and a form full of one-character
 * boundaries would take fifty times as long.
 */
const SHORTEST_LEFT_OUT = 16;

/** Stands for a boundary, because the part headers that follow one cannot contain this byte. */
const MARK = Buffer.from([0]);

/** Hashes a form without its boundaries, because a library may change them for a retry. */
export class BoundarySieve {
  readonly #boundary: Buffer;
  /** May be the start of a boundary. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(
    boundary: string,
    private readonly hash: Hash,
  ) {
    this.#boundary = Buffer.from(boundary.length < SHORTEST_LEFT_OUT ? '' : boundary);
  }

  update(piece: Buffer): void {
    if (this.#boundary.length === 0) return void this.hash.update(piece);
    const bytes = Buffer.concat([this.#rest, piece]);
    let at = 0;
    for (let next = bytes.indexOf(this.#boundary); next >= 0; next = bytes.indexOf(this.#boundary, at)) {
      this.hash.update(bytes.subarray(at, next)).update(MARK);
      at = next + this.#boundary.length;
    }
    const kept = Math.max(at, bytes.length - this.#boundary.length + 1);
    this.hash.update(bytes.subarray(at, kept));
    this.#rest = bytes.subarray(kept);
  }

  end(): void {
    this.hash.update(this.#rest);
    this.#rest = Buffer.alloc(0);
  }
}
