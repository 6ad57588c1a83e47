import type { TranscriptEntry } from './protocol.js';
import { UnknownRoutes } from './unknown-routes.js';

/** Entries that a world keeps; older ones are dropped. */
const KEPT = 5_000;

/** The actions in a world, in order. */
export class Transcript {
  readonly unknownRoutes = new UnknownRoutes();
  #entries: TranscriptEntry[] = [];
  #count = 0;

  add(entry: Omit<TranscriptEntry, 'number' | 'at'>): void {
    this.#count += 1;
    this.#entries.push({ number: this.#count, at: new Date().toISOString(), ...entry });
    if (this.#entries.length > KEPT) this.#entries = this.#entries.slice(-KEPT / 2);
  }

  /** @param after the number of the last entry that the caller has */
  since(after: number): readonly TranscriptEntry[] {
    return this.#entries.filter(({ number }) => number > after);
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
