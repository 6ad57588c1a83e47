import type { DispatchedName, ToCloud } from '../protocol/messages.js';

export type AnnouncedGuild = Extract<ToCloud, { op: 'announce' }>['guild'];

/** A log entry without its number (docs/relay.md, R-30). `data` is the JSON text of `d`. */
export type LoggedEvent =
  | { op: 'dispatch'; t: DispatchedName; data: string }
  | { op: 'announce'; guild: AnnouncedGuild }
  | { op: 'withdraw'; guild_id: string }
  | { op: 'ready' };

export interface LogEntry {
  s: number;
  told: LoggedEvent;
  /** Approximate, in bytes. */
  size: number;
}

/** Enough for a busy box that is offline for some minutes. */
export interface LogBounds {
  entries: number;
  bytes: number;
}

const BOUNDS: LogBounds = { entries: 20_000, bytes: 32 * 1024 * 1024 };

/** Size of an entry without its event. */
const ENTRY_BYTES = 200;

/**
 * Keeps a session's entries until the cloud acknowledges them. If the log is full, the next session sends
 * everything again.
 */
export class EventLog {
  #session: string | null = null;
  /** Entries before `#start` are acknowledged. */
  #entries: LogEntry[] = [];
  #start = 0;
  #bytes = 0;
  #last = 0;

  constructor(private readonly bounds: LogBounds = BOUNDS) {}

  get session(): string | null {
    return this.#session;
  }

  /** 0 if there is no entry. */
  get last(): number {
    return this.#last;
  }

  begin(session: string): void {
    this.end();
    this.#session = session;
  }

  end(): void {
    this.#session = null;
    this.#entries = [];
    this.#start = 0;
    this.#bytes = 0;
    this.#last = 0;
  }

  /** @returns false if this entry overflows the log, or without a session */
  append(told: LoggedEvent): boolean {
    if (this.#session === null) return false;
    this.#last += 1;
    const size = ENTRY_BYTES + sizeOf(told);
    this.#entries.push({ s: this.#last, told, size });
    this.#bytes += size;
    if (this.#count > this.bounds.entries || this.#bytes > this.bounds.bytes) this.end();
    return this.#session !== null;
  }

  acknowledge(s: number): void {
    for (let first = this.#entries[this.#start]; first && first.s <= s; first = this.#entries[this.#start]) {
      this.#bytes -= first.size;
      this.#start += 1;
    }
    if (this.#start * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#start = 0;
  }

  /** Requires that all entries after `s` are kept. */
  canResume(session: string, s: number): boolean {
    return session === this.#session && s <= this.#last && s >= this.#last - this.#count;
  }

  at(s: number): LogEntry | null {
    const first = this.#entries[this.#start];
    return first ? (this.#entries[this.#start + s - first.s] ?? null) : null;
  }

  get #count(): number {
    return this.#entries.length - this.#start;
  }
}

function sizeOf(told: LoggedEvent): number {
  if (told.op === 'dispatch') return Buffer.byteLength(told.data);
  if (told.op !== 'announce') return 0;
  const { channels, bots } = told.guild;
  return 24 * (channels.length + bots.length);
}
