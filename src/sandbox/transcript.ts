import type { TranscriptEntry } from './protocol.js';
import { UnknownRoutes } from './unknown-routes.js';

/** Entries that a world keeps; older ones are dropped. */
const KEPT = 5_000;

/** The actions in a world, in order. */
export class Transcript {
  readonly unknownRoutes = new UnknownRoutes();
  #entries: TranscriptEntry[] = [];
  #count = 0;
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  add(entry: Omit<TranscriptEntry, 'number' | 'at'>): void {
    this.#count += 1;
    this.#entries.push({ number: this.#count, at: new Date().toISOString(), ...entry });
    if (this.#entries.length > KEPT) this.#entries = this.#entries.slice(-KEPT / 2);
    this.#wake();
  }

  /** @param after the number of the last entry that the caller has */
  since(after: number): readonly TranscriptEntry[] {
    return this.#entries.filter(({ number }) => number > after);
  }

  /** Like {@link since}, but waits if there is none. @returns an empty list when the time is over */
  async next(after: number, withinMs: number): Promise<readonly TranscriptEntry[]> {
    if (this.#count <= after && withinMs > 0 && !this.#isClosed) await this.#change(withinMs);
    return this.since(after);
  }

  /** Ends all waits. Later ones end at once. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  #wake(): void {
    for (const end of this.#waiting) end();
  }

  #change(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, withinMs);
      this.#waiting.add(end);
    });
  }
}

/** Entries of a failed wait. */
const SHOWN = 25;

/** One line for each of the last entries. */
export function transcriptText(transcript: Transcript): string {
  return linesOf(transcript.since(0).slice(-SHOWN));
}

export function linesOf(entries: readonly TranscriptEntry[]): string {
  return entries.map(({ at, kind, text }) => `${at.slice(11, 23)}  ${kind.padEnd(8)}  ${text}\n`).join('');
}
