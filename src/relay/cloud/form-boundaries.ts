import type { Hash } from 'node:crypto';

const FORM = /^\s*multipart\/form-data\s*(?:;|$)/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i;

/** The boundary of a form's parts, as its `Content-Type` names it; empty where it names none, null for what is no form. */
export function boundaryOf(contentType: string | undefined): string | null {
  if (contentType === undefined || !FORM.test(contentType)) return null;
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? plain ?? '';
}

/**
 * A shorter boundary stays, in characters: nobody makes those up anew for a retry, and a form of nothing but a boundary of one character
 * would take fifty times as long as another.
 */
const SHORTEST_LEFT_OUT = 16;

/** What stands for each boundary. A line of a part's head, where boundaries stand beside it, has no such byte. */
const MARK = Buffer.from([0]);

/**
 * Hashes a form with its boundaries left out, unless they are very short, wherever its bytes are cut: a library that sends a form again may make up another boundary
 * for the same parts.
 */
export class BoundarySieve {
  readonly #boundary: Buffer;
  /** The last bytes that came, which a boundary may begin with. */
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

  /** Nothing comes any more. */
  end(): void {
    this.hash.update(this.#rest);
    this.#rest = Buffer.alloc(0);
  }
}
