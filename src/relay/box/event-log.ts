import type { DispatchedName, ToCloud } from '../protocol/messages.js';

/** A guild as it is announced (docs/relay.md, R-32). */
export type AnnouncedGuild = Extract<ToCloud, { op: 'announce' }>['guild'];

/** What a box tells of its own, before it has its number; an event as the JSON text of its `d`. */
export type Told =
  | { op: 'dispatch'; t: DispatchedName; data: string }
  | { op: 'announce'; guild: AnnouncedGuild }
  | { op: 'withdraw'; guild_id: string }
  | { op: 'ready' };

/** What is kept of it until the cloud has worked on it. */
export interface LogEntry {
  s: number;
  told: Told;
  /** About how many bytes it takes as a message. */
  size: number;
}

/** How much is kept at most: an absence of some minutes of a busy box. */
export interface LogBounds {
  entries: number;
  bytes: number;
}

const BOUNDS: LogBounds = { entries: 20_000, bytes: 32 * 1024 * 1024 };

/** What an entry takes beside the text of its event, in bytes. */
const ENTRY_BYTES = 200;

/**
 * What a box tells, numbered in order, and kept until it is acknowledged. Where more waits than is kept, the session is over: another
 * one begins with everything anew.
 */
export class EventLog {
  #session: string | null = null;
  /** In order; those before `#start` were acknowledged. */
  #entries: LogEntry[] = [];
  #start = 0;
  #bytes = 0;
  #last = 0;

  constructor(private readonly bounds: LogBounds = BOUNDS) {}

  /** The session whose numbers these are; null while there is none. */
  get session(): string | null {
    return this.#session;
  }

  /** The number of the last entry; 0 for none. */
  get last(): number {
    return this.#last;
  }

  /** Begins a session. Numbers begin at 1. */
  begin(session: string): void {
    this.end();
    this.#session = session;
  }

  /** Ends the session, and forgets what was kept. */
  end(): void {
    this.#session = null;
    this.#entries = [];
    this.#start = 0;
    this.#bytes = 0;
    this.#last = 0;
  }

  /** Adds an entry to the session. @returns whether there is a session still */
  append(told: Told): boolean {
    if (this.#session === null) return false;
    this.#last += 1;
    const size = ENTRY_BYTES + sizeOf(told);
    this.#entries.push({ s: this.#last, told, size });
    this.#bytes += size;
    if (this.#count > this.bounds.entries || this.#bytes > this.bounds.bytes) this.end();
    return this.#session !== null;
  }

  /** Notes that the cloud has worked on everything up to a number. */
  acknowledge(s: number): void {
    for (let first = this.#entries[this.#start]; first && first.s <= s; first = this.#entries[this.#start]) {
      this.#bytes -= first.size;
      this.#start += 1;
    }
    if (this.#start * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#start = 0;
  }

  /** Whether a session can go on after a number: whether it is this one, and everything behind that number is there. */
  canResume(session: string, s: number): boolean {
    return session === this.#session && s <= this.#last && s >= this.#last - this.#count;
  }

  /** The entry with a number; null for one that is not there. */
  at(s: number): LogEntry | null {
    const first = this.#entries[this.#start];
    return first ? (this.#entries[this.#start + s - first.s] ?? null) : null;
  }

  get #count(): number {
    return this.#entries.length - this.#start;
  }
}

function sizeOf(told: Told): number {
  if (told.op === 'dispatch') return Buffer.byteLength(told.data);
  if (told.op !== 'announce') return 0;
  const { channels, bots } = told.guild;
  return 24 * (channels.length + bots.length);
}
