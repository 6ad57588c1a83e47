import type { Clock, Timer } from '../../infra/clock.js';

export interface Result {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export function json(status: number, body: unknown): Result {
  const headers = { 'content-type': 'application/json' };
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

/** If work did not begin, the next request with its key runs it. */
export type Outcome = { begun: true; result: Result } | { begun: false; result: Result | null };

/** Counts from the end of the work (docs/relay.md, R-25). */
const KEPT_MS = 60_000;

/** Beyond this, the oldest results are dropped. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Size of a result without its body. */
const RESULT_BYTES = 500;

interface Kept {
  outcome: Promise<Outcome>;
  /** In bytes; null while the work is running. */
  size: number | null;
  timer: Timer | null;
}

/** Runs work once per key. */
export class Results {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(
    private readonly clock: Clock,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /**
   * Returns the result of running or recent work with the same key, or runs `work`.
   * @param work never rejects
   */
  async once(key: string, work: () => Promise<Outcome>): Promise<Outcome> {
    for (let known = this.#kept.get(key); known; known = this.#kept.get(key)) {
      const outcome = await known.outcome;
      if (outcome.begun) return outcome;
    }
    const kept: Kept = { outcome: work(), size: null, timer: null };
    this.#kept.set(key, kept);
    const outcome = await kept.outcome;
    if (outcome.begun) this.#keep(key, kept, outcome.result);
    else this.#kept.delete(key);
    return outcome;
  }

  /** The oldest finished entry must come first. */
  #keep(key: string, kept: Kept, { body }: Result): void {
    kept.size = RESULT_BYTES + body.length;
    this.#bytes += kept.size;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    kept.timer = this.clock.after(KEPT_MS, () => this.#forget(key, kept));
    for (const [oldest, { size }] of this.#kept) {
      if (this.#bytes <= this.maxBytes) return;
      const entry = this.#kept.get(oldest);
      if (size !== null && entry) this.#forget(oldest, entry);
    }
  }

  #forget(key: string, kept: Kept): void {
    if (this.#kept.get(key) !== kept) return;
    this.#kept.delete(key);
    this.#bytes -= kept.size ?? 0;
    // A pending timer would keep the body in memory.
    kept.timer?.cancel();
  }
}
