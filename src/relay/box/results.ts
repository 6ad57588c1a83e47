import type { Clock, Timer } from '../../infra/clock.js';

/** What a piece of work came to. */
export interface Result {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** A result of JSON. */
export function json(status: number, body: unknown): Result {
  const headers = { 'content-type': 'application/json' };
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

/** A piece of work is over: with its result; or it never began, and whoever asks again has it done. */
export type Outcome = { begun: true; result: Result } | { begun: false; result: Result | null };

/** How long a result is kept after the end, in milliseconds (docs/relay.md, R-25). */
const KEPT_MS = 60_000;

/** How many bytes of results are kept at most; beyond it the oldest go. */
const MAX_BYTES = 32 * 1024 * 1024;

/** What a result takes beside its body, in bytes. */
const RESULT_BYTES = 500;

interface Kept {
  outcome: Promise<Outcome>;
  /** Bytes; null while it is worked on. */
  size: number | null;
  /** Until it is forgotten, as of the end. */
  timer: Timer | null;
}

/** Has a piece of work done once, however often it is asked for. */
export class Results {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(
    private readonly clock: Clock,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /**
   * Has the work done that a key names; where it is under way, or was done lately, its result is this one's, too.
   * @param work never rejects; it is begun by one at a time
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

  /** Those that end are put behind the others: the first of them is the oldest. */
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
    // It would hold the body until it is due.
    kept.timer?.cancel();
  }
}
